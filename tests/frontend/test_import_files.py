"""What is not an ONNX file is named, with the command that converts it."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import onnx
import pytest

from mcugen.errors import ModelError
from mcugen.frontend import load
from onnx_models import STUBS, chain


def refused(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path, **STUBS)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return caught.value


def zipped(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return content.getvalue()


TFLITE = b"\x1c\x00\x00\x00TFL3" + bytes(64)

FOREIGN = {
    "m.tflite": (TFLITE, "a TensorFlow Lite model", "--tflite {path} --output {stem}.onnx"),
    "renamed.onnx": (TFLITE, "a TensorFlow Lite model", "--output {stem}_converted.onnx"),
    "my model.tflite": (TFLITE, "a TensorFlow Lite model", "--tflite '{path}' --output '{stem}"),
    "m.ort": (b"\x1c\x00\x00\x00ORTM" + bytes(64), "ORT format", "the .onnx file"),
    "m.pt": (zipped("m/data.pkl"), "a PyTorch model", "torch.onnx.export("),
    "old.pt": (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", "a Python pickle", "torch.onnx"),
    "m.keras": (zipped("model.weights.h5"), "a Keras model", "tf2onnx.convert.from_keras("),
    "m.h5": (b"\x89HDF\r\n\x1a\n" + bytes(64), "an HDF5 file", "keras.models.load_model("),
    "m.zip": (zipped("m.onnx"), "a zip archive with an ONNX file", "unpack"),
    "m.npz": (zipped("a.npy"), "a zip archive, not ONNX", ""),
    "broken.pth": (b"PK\x03\x04 cut off", "not an ONNX model (a PyTorch one?)", "torch.onnx"),
    "frozen.pb": (b"\x0a\x05hello\xff\xff", "a TensorFlow graph?", "--saved-model"),
    "m.onnx.gz": (b"\x1f\x8b\x08" + bytes(20), "a compressed file", "decompress"),
    "pointer.onnx": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "a Git LFS pointer",
        "git lfs pull",
    ),
    "page.onnx": (b"\n<!DOCTYPE html><html></html>", "a web page", "raw file"),
    "model.json": (b'{"irVersion": "8"}', "text, not a binary ONNX file", ""),
    "noise.onnx": (bytes(range(1, 200)), "not an ONNX model, or truncated", ""),
    "zeros.onnx": (bytes(100), "not an ONNX model, or truncated", ""),
    "m.H5": (bytes(100), "not an ONNX model (a Keras one?)", "from_keras"),
    "m.TFLITE": (bytes(100), "not an ONNX model (a TensorFlow Lite one?)", "--tflite"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_named(tmp_path: Path, name: str) -> None:
    content, what, hint = FOREIGN[name]
    path = tmp_path / name
    path.write_bytes(content)
    error = refused(path)
    assert what in error.message
    assert hint.format(path=path, stem=path.with_suffix("")) in error.hint


def test_a_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.onnx").message.endswith("no such file")


def test_a_file_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert "cannot be read" in refused(tmp_path / "a" / "b.onnx").message


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load("a\0b", **STUBS)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.touch()
    assert refused(path).message.endswith("the file is empty")


def test_a_folder(tmp_path: Path) -> None:
    assert refused(tmp_path).message.endswith("a folder, not a file")


def test_a_saved_model_folder(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"x")
    error = refused(tmp_path)
    assert "a TensorFlow SavedModel folder" in error.message
    assert f"--saved-model {tmp_path}" in error.hint


def test_a_device_is_not_read() -> None:
    assert refused(Path("/dev/zero")).message.endswith("not a regular file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe").message.endswith("not a regular file")


def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "m.onnx"
    path.write_bytes(b"x")
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert refused(path).message.endswith("cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("error", "problem"),
    [(RecursionError, "nested too deeply"), (MemoryError, "more memory than there is")],
)
def test_what_python_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], problem: str
) -> None:
    def fail(model: onnx.ModelProto) -> None:
        raise error

    path = tmp_path / "m.onnx"
    path.write_bytes(chain().SerializeToString())
    monkeypatch.setattr("mcugen.frontend.loader.read_model", fail)
    assert problem in refused(path).message


def test_a_file_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    with path.open("wb") as file:
        file.truncate(2**31)
    assert "the limit is 2147483647" in refused(path).message


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file(tmp_path: Path, share: float) -> None:
    content = chain().SerializeToString()
    path = tmp_path / "m.onnx"
    path.write_bytes(content[: int(len(content) * share)])
    assert "truncated or damaged" in refused(path).message


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(chain().SerializeToString().replace(b"relu_h1", b"relu\xff\xfe1"))
    assert "not valid UTF-8" in refused(path).message


def test_a_model_without_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(onnx.ModelProto(ir_version=8, producer_name="nobody").SerializeToString())
    assert "not an ONNX model" in refused(path).message


def test_what_is_told_of_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "good model.onnx"
    proto = chain()
    proto.producer_name, proto.producer_version = "tester", "1.2"
    path.write_bytes(proto.SerializeToString())
    found = load(path, **STUBS)
    assert (found.path, found.opset, found.producer) == (str(path), 13, "tester 1.2")
    assert found.graph.name == "good model"
    assert len(found.sha256) == 64
    assert found.unsupported == ()
    assert load(path, name="other", **STUBS).graph.name == "other"
