"""Recognises files that are not ONNX, and knows how to convert them."""

from __future__ import annotations

import io
import shlex
import zipfile
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True)
class Foreign:
    """What a file is instead of ONNX, and what to do about it."""

    what: str
    hint: str


def recognise(content: bytes, path: PurePath) -> Foreign | None:
    """What `content` is when it surely is not an ONNX model; None otherwise."""
    if content[4:8] == b"TFL3":
        return Foreign("a TensorFlow Lite model, not ONNX", _tflite_command(path))
    if content[4:8] == b"ORTM":
        return Foreign(
            "a model in ONNX Runtime's own ORT format, not ONNX",
            "give the .onnx file that it was made from",
        )
    if content.startswith(b"PK\x03\x04"):
        return _archive(content, path)
    if content.startswith(b"\x89HDF\r\n\x1a\n"):
        return Foreign("an HDF5 file (a Keras model?), not ONNX", _keras_snippet(path))
    if content.startswith(b"\x80") and content[1:2] in b"\x02\x03\x04\x05":
        return Foreign("a Python pickle (a PyTorch model?), not ONNX", _torch_snippet(path))
    if content.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ")):
        return Foreign("a compressed file, not ONNX", "decompress it first")
    return _written_text(content, path)


def by_suffix(path: PurePath) -> Foreign | None:
    """What a file that does not parse as ONNX probably is, going by its name."""
    suffix = path.suffix.lower()
    if suffix == ".tflite":
        return Foreign("not an ONNX model (a TensorFlow Lite one?)", _tflite_command(path))
    if suffix == ".pb":
        return Foreign(
            "not an ONNX model (a TensorFlow graph?)",
            "convert it: python -m tf2onnx.convert --saved-model FOLDER "
            f"--output {shlex.quote(_target(path))} --opset 13",
        )
    if suffix in (".pt", ".pth"):
        return Foreign("not an ONNX model (a PyTorch one?)", _torch_snippet(path))
    if suffix in (".h5", ".keras", ".hdf5"):
        return Foreign("not an ONNX model (a Keras one?)", _keras_snippet(path))
    return None


def saved_model(folder: PurePath) -> Foreign:
    """The verdict on a folder that holds `saved_model.pb`."""
    target = shlex.quote(f"{folder.name or 'model'}.onnx")
    return Foreign(
        "a TensorFlow SavedModel folder, not an ONNX file",
        f"convert it: python -m tf2onnx.convert --saved-model {shlex.quote(str(folder))} "
        f"--output {target} --opset 13",
    )


def _target(path: PurePath) -> str:
    """Where the converted model goes: beside the file, and never over it."""
    name = path.with_suffix(".onnx")
    return str(name if name != path else path.with_name(f"{path.stem}_converted.onnx"))


def _tflite_command(path: PurePath) -> str:
    return (
        f"convert it: python -m tf2onnx.convert --tflite {shlex.quote(str(path))} "
        f"--output {shlex.quote(_target(path))} --opset 13"
    )


def _keras_snippet(path: PurePath) -> str:
    return (
        "convert it in Python: import keras, tf2onnx; "
        f"tf2onnx.convert.from_keras(keras.models.load_model({str(path)!r}), opset=13, "
        f"output_path={_target(path)!r})"
    )


def _torch_snippet(path: PurePath) -> str:
    return (
        "export it in Python: torch.onnx.export(model.eval(), (example_input,), "
        f"{_target(path)!r}, opset_version=17)"
    )


def _archive(content: bytes, path: PurePath) -> Foreign:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        names = []
    if any(name.endswith(("data.pkl", "constants.pkl")) for name in names):
        return Foreign("a PyTorch model, not ONNX", _torch_snippet(path))
    if any(name.endswith("model.weights.h5") for name in names):
        return Foreign("a Keras model, not ONNX", _keras_snippet(path))
    if any(name.endswith(".onnx") for name in names):
        return Foreign("a zip archive with an ONNX file in it", "unpack it first")
    return by_suffix(path) or Foreign("a zip archive, not ONNX", "")


def _written_text(content: bytes, path: PurePath) -> Foreign | None:
    head = content[:512]
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        return Foreign("a Git LFS pointer, not the model itself", "run: git lfs pull")
    if head.lstrip()[:9].lower() in (b"<!doctype", b"<html>") or head.lstrip().startswith(b"<html"):
        return Foreign("a web page, not ONNX", "download the raw file")
    control = set(range(32)) - {9, 10, 12, 13}
    if head and not control & set(head) and 0x7F not in head:
        return by_suffix(path) or Foreign("text, not a binary ONNX file", "")
    return None
