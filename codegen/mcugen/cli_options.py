"""What the commands share: the option `--json`, the console, and writing JSON."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from mcugen.errors import UsageError
from mcugen.report.json_text import json_text

_STANDARD_OUTPUT = Path("-")

_JSON_ON_OUTPUT: ContextVar[bool] = ContextVar("json_on_output", default=False)
"""Whether this command's standard output is JSON, so that what it says must go elsewhere."""


def _json_path(path: Path | None) -> Path | None:
    """Refuses before the work what could not be written after it."""
    _JSON_ON_OUTPUT.set(path == _STANDARD_OUTPUT)
    if path == _STANDARD_OUTPUT:
        return path
    if path is not None and (why := _why_unwritable(path)):
        raise UsageError(f"--json: {path} cannot be written: {why}")
    return path


def _why_unwritable(path: Path) -> str:
    if path.is_dir():
        return "it is a folder"
    if not path.absolute().parent.is_dir():
        return f"there is no folder {path.parent}"
    place = path if path.exists() else path.absolute().parent
    return "" if os.access(place, os.W_OK) else "there is no permission"


JsonOpt = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write JSON too; - for standard output, and the text to standard error.",
        callback=_json_path,
    ),
]


def console() -> Console:
    """Standard output, or standard error when JSON goes there.

    As wide as the terminal is now, not when this module was imported.
    """
    return Console(soft_wrap=True, stderr=_JSON_ON_OUTPUT.get())


def write_json(path: Path | None, value: dict[str, Any]) -> None:
    """Writes the value where a path is given.

    Raises:
        UsageError: it cannot be written.
    """
    if path is None:
        return
    if path == _STANDARD_OUTPUT:
        sys.stdout.write(json_text(value))
        sys.stdout.flush()
        return
    try:
        path.write_text(json_text(value))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
