"""What matters of a build's output: errors, warnings of the project's own C, what it is doing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """How much a line matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"  # said once, on a terminal or not: what is installed, what is uploaded
    STAGE = "stage"  # what it is doing now; there are hundreds of these
    NOISE = "noise"


@dataclass(frozen=True)
class Seen:
    """A line of output.

    Attributes:
        kind: how much it matters.
        text: the line itself.
        stage: what is being done, in a few words; "" where the line does not say.
    """

    kind: Kind
    text: str
    stage: str = ""


_ERROR = re.compile(
    r"\b(?:fatal )?error: |^Error: |^ERROR: |^\w*(?:Error|Exception):"
    r"|^A (?:fatal|serial exception) error occurred|undefined reference to"
    r"|region `?\w+'? overflowed|^\*\*\* |^CMake Error"
    r"|^make(?:\[\d+\])?: \*\*\*|in BOOTSEL mode (?:was|were) found|picotool was unable to connect"
)
_WARNING = re.compile(r"^(?P<file>[^\s:]+):\d+(?::\d+)?: warning: |^Warning! (?!Please install)")
_EXCERPT = re.compile(r"^\s+\d* \||^\s*\S+: note: |^\s+\^|^\s{4,}\S")
_OWN = re.compile(r"^(?:\./)?(?:src|lib)/")
_NOTES = (
    (re.compile(r"^(?:Platform|Tool|Library) Manager: Installing (?P<what>.+)"), "installing"),
    (re.compile(r"^Uploading (?P<what>\S*firmware\S*)"), "uploading"),
    (re.compile(r"^(?P<what>(?:PASS|FAIL)\b.*)"), "self-test:"),
    (re.compile(r"^(?:Auto-detected|Using manually specified): (?P<what>\S+)"), "port"),
)
_STAGES = (
    (re.compile(r"^(?:Downloading|Unpacking)\b.*?(?P<what>\d+%)?$"), "downloading"),
    (re.compile(r"^Writing at .*?(?P<what>\d+(?:\.\d+)? ?%)"), "writing"),
    (re.compile(r"^Loading into \w+: .*?(?P<what>\d+%)"), "writing"),
    (re.compile(r"^Verifying \w+: .*?(?P<what>\d+%)"), "verifying"),
    (re.compile(r"^\*\* Programming Started(?P<what>)"), "writing"),
    (re.compile(r"^(?:Compiling|Archiving|Indexing) (?P<what>\S+)"), "compiling"),
    (re.compile(r"^(?:Linking|Building|Checking size|Creating) (?P<what>\S+)"), "linking"),
    (re.compile(r"^(?:Reading CMake|Generating|Configuring)\b(?P<what>)"), "configuring"),
    (re.compile(r"^Looking for upload port(?P<what>)"), "looking for the board"),
    (re.compile(r"^(?P<what>Connecting)\.*"), "the board:"),
    (
        re.compile(r"^\S*(?:cc|gcc|clang|python\S* -m ziglang)\b.* -c .*?(?P<what>\S+\.c)$"),
        "compiling",
    ),
)


class OutputFilter:
    """Tells of each line how much it matters, in the order in which they come."""

    def __init__(self, project: Path) -> None:
        self._folder = f"{project}/"
        self._excerpt: Kind | None = None
        self._compiled = 0

    def feed(self, line: str) -> Seen:
        """The next line's meaning."""
        text = line.replace(self._folder, "")
        kind = self._kind_of(text)
        if kind is not None:
            self._excerpt = kind
            return Seen(kind, text)
        if self._excerpt is not None and _EXCERPT.match(text):
            return Seen(self._excerpt, text)  # the source line below a compiler's message
        self._excerpt = None
        return self._progress(text)

    def _kind_of(self, text: str) -> Kind | None:
        if _ERROR.search(text):
            return Kind.ERROR
        warning = _WARNING.match(text)
        if warning and (warning["file"] is None or _OWN.match(warning["file"])):
            return Kind.WARNING
        return None

    def _progress(self, text: str) -> Seen:
        for kind, table in ((Kind.NOTE, _NOTES), (Kind.STAGE, _STAGES)):
            for pattern, verb in table:
                found = pattern.search(text)
                if found:
                    return Seen(kind, text, self._stage(verb, found["what"] or ""))
        return Seen(Kind.NOISE, text)

    def _stage(self, verb: str, what: str) -> str:
        if verb == "compiling":
            self._compiled += 1
            return f"compiling {Path(what).name} ({self._compiled})"
        return f"{verb} {what}".strip()
