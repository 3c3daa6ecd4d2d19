"""Known failures in the output of PlatformIO, compilers and flashing tools: error and way out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcugen.device.project_folder import ProjectFolder
from mcugen.errors import DeviceError, DoesNotFitError, McugenError

UDEV_RULES = "https://docs.platformio.org/en/latest/core/installation/udev-rules.html"
_LAST_LINES = 12
_CHATTER = re.compile(r"[-=*\s]*$|If you like PlatformIO|- (?:star it|follow us|try PlatformIO) ")


@dataclass(frozen=True)
class Failure:
    """One known failure.

    Attributes:
        pattern: what says so in the output, a regular expression.
        message: of the error; `{title}` is the board, `{boot_hint}` what brings it into the mode in
            which it takes firmware, other names are groups of the pattern.
        hint: what to do, likewise.
        too_large: whether the firmware does not fit the board.
    """

    pattern: str
    message: str
    hint: str
    too_large: bool = False


_PORT = r"'?(?P<port>/dev/[\w./-]+|COM\d+)'?"

FAILURES: tuple[Failure, ...] = (
    Failure(
        r"^FAIL: (?P<what>.+)",
        "the self-test failed: {what}",
        "`mcugen check` compares every layer on this computer",
    ),
    Failure(
        r"Please install Git client",
        "the platform of {title} is a git repository, and git is not installed",
        "install git from https://git-scm.com/downloads",
    ),
    Failure(
        r"HTTPClientError|InternetConnectionError|not connected to the Internet|ConnectionError\b"
        r"|Could not resolve host|unable to access 'https?://|getaddrinfo failed"
        r"|onnected to the internet|Temporary failure in name resolution"
        r"|Network is unreachable|Max retries exceeded",
        "what the build of {title} needs could not be downloaded: no network?",
        "the first build downloads the board's platform and compiler, later ones work offline: "
        "connect and run it again; behind a proxy set HTTPS_PROXY",
    ),
    Failure(
        r"Could not find (?:the package|a version of the package) with '(?P<what>[^']+)'",
        "PlatformIO's registry has no '{what}' for this computer",
        "platformio.ini names it: is it what `mcugen export` wrote?",
    ),
    Failure(
        r"Unknown board ID '(?P<what>[^']+)'",
        "PlatformIO's platform does not know the board '{what}'",
        "platformio.ini names it: is it what `mcugen export` wrote?",
    ),
    Failure(
        r"program size \((?P<got>\d+) bytes\) is greater than maximum allowed \((?P<max>\d+) bytes",
        "the firmware takes {got} bytes of flash, {title} has {max}",
        "a smaller model, int8 weights, or `mcugen export --selftest none`",
        too_large=True,
    ),
    Failure(
        r"region [`'](?P<region>\w+)' overflowed by (?P<over>\d+) bytes",
        "the firmware is {over} bytes too large for the memory '{region}' of {title}",
        "a smaller model or input, or `mcugen export --selftest none`",
        too_large=True,
    ),
    Failure(
        r"will not fit in (?P<max>0x[0-9a-f]+|\d+) bytes of flash",
        "the firmware does not fit the {max} bytes of flash that this board really has",
        "is it a {title}? `mcugen boards` lists the variants",
        too_large=True,
    ),
    Failure(
        r"No space left on device",
        "the disk is full",
        "PlatformIO keeps platforms in ~/.platformio: `pio system prune` frees some of it",
    ),
    Failure(
        r"No module named '?ziglang",
        "the C compiler of {title} is not installed: Python's package ziglang",
        "pip install 'mcugen[bench]'",
    ),
    Failure(
        r"^make: (?P<what>\S+): No such file or directory"
        r"|/bin/sh: .*?(?P<sh>\S+): (?:command )?not found",
        "the Makefile needs a program that is not installed: {what}{sh}",
        "without a C compiler: pip install 'mcugen[bench]', then CC='python -m ziglang cc'",
    ),
    Failure(
        rf"^(?=.*Permission denied).*?{_PORT}",
        "no permission to use {port}",
        "Linux: `sudo usermod -aG dialout $USER` (uucp on Arch), then log out and in",
    ),
    Failure(
        rf"(?:Could not open|could not open port) {_PORT}[\s\S]*?(?:Errno 2\b|FileNotFoundError"
        rf"|port doesn't exist)",
        "the port {port} is not there",
        "is the board still plugged in? Without --port the one that fits is taken",
    ),
    Failure(
        rf"(?:Could not open|could not open port) {_PORT}[\s\S]*?(?:Access is denied|busy"
        rf"|exclusively lock|PermissionError)",
        "the port {port} is in use by another program",
        "close serial monitors on it (`mcugen monitor` in another terminal?)",
    ),
    Failure(
        r"This chip is (?P<found>[\w-]+),? not (?P<wanted>[\w-]+)",
        "the board at this port has an {found}, the project is for {wanted} ({title})",
        "--port chooses another board; or export the model for this one",
    ),
    Failure(
        r"Wrong boot mode detected",
        "{title} answers, but is not in download mode",
        "{boot_hint}, then flash again",
    ),
    Failure(
        r"Failed to connect to (?P<chip>ESP[\w-]+)|getting no sync reply",
        "{title} does not answer at this port: not in download mode, or another board",
        "{boot_hint}, then flash again; a cable for charging alone has no data wires",
    ),
    Failure(
        r"chip stopped responding|serial exception error occurred|device disconnected"
        r"|Timed out waiting for packet|device reports readiness to read but returned no data",
        "the connection to {title} broke while it was written",
        "another cable or USB socket, no hub; close serial monitors; then flash again",
    ),
    Failure(
        r"picotool was unable to connect",
        "{title} is in BOOTSEL mode, but this user may not access it",
        f"Linux: PlatformIO's udev rules ({UDEV_RULES}); Windows: a driver by Zadig",
    ),
    Failure(
        r"o accessible [\w/ -]+ in BOOTSEL mode",
        "{title} is not in BOOTSEL mode and did not go there by itself",
        "{boot_hint}, then flash again",
    ),
    Failure(
        r"LIBUSB_ERROR_ACCESS",
        "no permission to use the debug probe of {title}",
        f"Linux: PlatformIO's udev rules ({UDEV_RULES}), then plug it in again",
    ),
    Failure(
        r"LIBUSB_ERROR_NOT_SUPPORTED|LIBUSB_ERROR_NOT_FOUND",
        "the debug probe of {title} has no driver that can be used",
        "Windows: ST's driver for the ST-LINK; then plug it in again",
    ),
    Failure(
        r"Error: open failed|[Nn]o ST-?LINK detected|No device could be found",
        "no {title} found: its debug probe does not answer",
        "plug in the board's USB connector of the probe; a cable for charging alone has no data "
        "wires",
    ),
    Failure(
        r"init mode failed|unable to connect to the target|Error connecting DP",
        "the debug probe answers, the processor of {title} does not",
        "is it another board? Hold its reset button while flashing starts",
    ),
    Failure(
        r"Please specify `upload_port`|Couldn't find a board on the selected port",
        "no {title} found to write to",
        "plug it in; {boot_hint}",
    ),
    Failure(
        r"^(?P<file>(?:\./)?(?:src|lib)/[^\s:]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: "
        r"(?P<what>.+)",
        "{file}, line {line}: {what}",
        "was it changed after the export? `mcugen export --force` writes it again",
    ),
    Failure(
        r"undefined reference to [`'](?P<what>[^'`]+)'",
        "the firmware does not link: nothing defines '{what}'",
        "was it changed after the export? `mcugen export --force` writes it again",
    ),
)
"""The first whose pattern is found counts: what causes others comes before them."""


def explain(
    output: Sequence[str], project: ProjectFolder, log: Path, tool: str, code: int
) -> McugenError:
    """The error for a tool that failed.

    Args:
        output: its lines.
        project: what was built or flashed.
        log: where all of it lies.
        tool: what a person calls it.
        code: its exit code.
    """
    text = "\n".join(output).replace(f"{project.path}/", "")
    where = f"the whole output is in {log}"
    for failure in FAILURES:
        found = re.search(failure.pattern, text, re.MULTILINE)
        if found:
            boot_hint = project.device.boot_hint or "reset the board"
            values = {k: v or "" for k, v in found.groupdict().items()}
            values |= {"title": project.title, "boot_hint": boot_hint}
            kind = DoesNotFitError if failure.too_large else DeviceError
            hint = failure.hint.format(**values)
            return kind(failure.message.format(**values), hint=f"{hint}; {where}")
    last = [line for line in output if not _CHATTER.match(line)][-_LAST_LINES:]
    lines = "\n".join(f"  {line}" for line in last)
    said = f"; its last lines:\n{lines}" if last else " and said nothing"
    return DeviceError(f"{tool} failed (exit code {code}){said}", hint=where)
