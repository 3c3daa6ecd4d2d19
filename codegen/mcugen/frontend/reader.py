"""Reads a file into an `onnx.ModelProto`, or says what the file is instead."""

from __future__ import annotations

import stat
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from mcugen.frontend import foreign
from mcugen.frontend.limits import MAX_FILE_BYTES
from mcugen.frontend.malformed import Malformed


def read_bytes(path: Path) -> bytes:
    """The content of a regular file.

    Raises:
        Malformed: missing, unreadable, a folder, a device, empty or over 2 GiB.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise Malformed("no such file") from None
    except (OSError, ValueError) as error:
        raise Malformed(f"cannot be read: {_system_text(error)}") from None
    if stat.S_ISDIR(status.st_mode):
        raise _folder(path)
    if not stat.S_ISREG(status.st_mode):
        raise Malformed("not a regular file")
    if status.st_size == 0:
        raise Malformed("the file is empty")
    if status.st_size > MAX_FILE_BYTES:
        raise Malformed(f"the file has {status.st_size} bytes, the limit is {MAX_FILE_BYTES}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise Malformed(f"cannot be read: {_system_text(error)}") from None


def parse(content: bytes, path: Path) -> onnx.ModelProto:
    """The model in `content`; `path` only serves the messages.

    Raises:
        Malformed: not ONNX, truncated or damaged.
    """
    verdict = foreign.recognise(content, path)
    if verdict is not None:
        raise Malformed(verdict.what, verdict.hint)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except (DecodeError, RecursionError, MemoryError):
        raise _unparsable(path) from None
    if not model.HasField("graph"):
        raise _unparsable(path)
    return model


def _folder(path: Path) -> Malformed:
    if (path / "saved_model.pb").is_file():
        verdict = foreign.saved_model(path)
        return Malformed(verdict.what, verdict.hint)
    return Malformed("a folder, not a file")


def _unparsable(path: Path) -> Malformed:
    verdict = foreign.by_suffix(path)
    if verdict is not None:
        return Malformed(verdict.what, verdict.hint)
    return Malformed("not an ONNX model, or truncated or damaged")


def _system_text(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
