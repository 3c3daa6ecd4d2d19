"""What the frontend raises before it knows how the user named the model."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable


class Malformed(Exception):  # noqa: N818 - a verdict; the loader turns it into a ModelError
    """The file breaks a rule of ONNX or a limit of ours.

    `reason` completes `model.onnx: ...`.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def text(value: str | bytes) -> str:
    """A protobuf string field.

    protobuf hands back `bytes` where a field is not UTF-8.

    Raises:
        Malformed: the field is not UTF-8.
    """
    if isinstance(value, bytes):
        raise Malformed(f"a name is not valid UTF-8 ({value[:20]!r}): the file is damaged")
    return value


_SHOWN_LENGTH = 200
_COMPARED = 5000


def plain(name: str) -> str:
    """A name of the file as one line of an error shows it: bounded, no control codes."""
    cut = name if len(name) <= _SHOWN_LENGTH else f"{name[:_SHOWN_LENGTH]}..."
    return cut if cut.isprintable() else "".join(_visible(c) for c in cut)


def shown(name: str) -> str:
    """`plain`, quoted."""
    return f"'{plain(name)}'"


def close_names(name: str, names: Iterable[str]) -> str:
    """`did you mean 'a', 'b'?`, or '' when nothing is similar.

    Long names and long lists are left out: the comparison is quadratic in both.
    """
    short = [n for n in itertools.islice(names, _COMPARED) if len(n) <= _SHOWN_LENGTH]
    close = difflib.get_close_matches(name[:_SHOWN_LENGTH], short, n=3)
    return f"did you mean {', '.join(shown(c) for c in close)}?" if close else ""


def _visible(character: str) -> str:
    return character if character.isprintable() else f"\\x{ord(character):02x}"
