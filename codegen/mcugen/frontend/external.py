"""External data: tensors whose bytes lie in files beside the model.

Only files inside the model's own folder are opened, whatever the model asks for.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

import onnx

from mcugen.frontend.limits import MAX_FILE_BYTES
from mcugen.frontend.malformed import Malformed, shown, text


class ExternalFiles:
    """Reads regions of the files in one folder.

    Args:
        folder: the model's folder; None when the model did not come from a file, and then any
            external data is an error.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, tensor: onnx.TensorProto, nbytes: int) -> bytes:
        """The `nbytes` bytes of `tensor`.

        Raises:
            Malformed: the file is missing, outside the folder or too short, or the tensor's
                offset or length is wrong.
        """
        entries = _entries(tensor)
        what = f"external data of {shown(text(tensor.name))}"
        path = self._path(entries, what)
        offset = _count(entries, "offset", 0, what)
        length = _count(entries, "length", nbytes, what)
        if length != nbytes:
            raise Malformed(f"{what}: length is {length} bytes, its shape needs {nbytes}")
        available = path.stat().st_size - offset
        if available < nbytes:
            raise Malformed(
                f"{what}: {path.name} is too short, {max(available, 0)} bytes from offset "
                f"{offset} where {nbytes} are needed"
            )
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(nbytes)

    def digest(self, tensors: Iterable[onnx.TensorProto]) -> bytes:
        """SHA-256 over names and contents of all files that `tensors` lie in; b"" without any."""
        paths: dict[str, Path] = {}
        for tensor in filter(is_external, tensors):
            entries = _entries(tensor)
            what = f"external data of {shown(text(tensor.name))}"
            paths.setdefault(entries.get("location", ""), self._path(entries, what))
        if not paths:
            return b""
        total = hashlib.sha256()
        for location in sorted(paths):
            with paths[location].open("rb") as file:
                content = hashlib.file_digest(file, "sha256").digest()
            total.update(location.encode() + b"\0" + content)
        return total.digest()

    def _path(self, entries: Mapping[str, str], what: str) -> Path:
        location = entries.get("location", "")
        if self._folder is None:
            raise Malformed(f"{what}: a model that is not loaded from a file cannot have any")
        if not _is_plain_relative(location):
            raise Malformed(
                f"{what}: the path {shown(location)} leaves the model's folder",
                "only files inside the model's folder are read",
            )
        folder = self._folder.resolve()
        try:
            path = (folder / location).resolve()
            inside = path.is_relative_to(folder)
            status = path.stat() if inside else None
        except (OSError, ValueError, RuntimeError):
            raise Malformed(
                f"{what}: file {shown(location)} is missing",
                "keep it in the folder of the model",
            ) from None
        if status is None:
            raise Malformed(
                f"{what}: {shown(location)} is a link out of the model's folder",
                "copy the file into the model's folder",
            )
        if not stat.S_ISREG(status.st_mode):
            raise Malformed(f"{what}: {shown(location)} is not a regular file")
        if status.st_size > MAX_FILE_BYTES:
            raise Malformed(f"{what}: {shown(location)} is over {MAX_FILE_BYTES} bytes")
        return path


def is_external(tensor: onnx.TensorProto) -> bool:
    """Whether the bytes of `tensor` lie in another file."""
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def _entries(tensor: onnx.TensorProto) -> dict[str, str]:
    return {text(e.key): text(e.value) for e in tensor.external_data}


def _is_plain_relative(location: str) -> bool:
    """Whether `location` is a relative path without `..`, by POSIX and by Windows rules."""
    if not location or "\0" in location:
        return False
    for path in (PurePosixPath(location), PureWindowsPath(location)):
        if path.is_absolute() or path.anchor or ".." in path.parts:
            return False
    return True


def _count(entries: Mapping[str, str], key: str, default: int, what: str) -> int:
    written = entries.get(key)
    if written is None:
        return default
    if not (written.isascii() and written.isdigit() and len(written) < 19):
        raise Malformed(f"{what}: {key} is {shown(written)}, not a byte count")
    return int(written)
