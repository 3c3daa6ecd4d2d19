"""External data: read from the model's own folder, and from nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest

from mcugen.errors import ModelError
from mcugen.frontend import load, load_model
from mcugen.ir import Array
from onnx_models import STUBS, model, node, value

WEIGHTS = np.arange(4, dtype=np.float32)


def external_model(entries: dict[str, str], weights: Array = WEIGHTS) -> onnx.ModelProto:
    proto = model([node("Add", ["x", "w"], ["y"])], [value("x", [4])], ["y"], {"w": weights})
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, text in entries.items():
        tensor.external_data.add(key=key, value=text)
    return proto


def written(folder: Path, entries: dict[str, str], content: bytes | None = None) -> Path:
    """A model file in `folder`, beside its data where `content` is given."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "m.onnx"
    path.write_bytes(external_model(entries).SerializeToString())
    if content is not None:
        data = folder / entries["location"]
        data.parent.mkdir(parents=True, exist_ok=True)
        data.write_bytes(content)
    return path


def refused(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path, **STUBS)
    assert "external data of 'w'" in caught.value.message
    return caught.value


def test_data_is_found_from_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a", {"location": "w.bin"}, WEIGHTS.tobytes())
    monkeypatch.chdir(tmp_path)
    for name in (path, path.relative_to(tmp_path), str(path)):
        np.testing.assert_array_equal(load(name, **STUBS).graph["w"].data, WEIGHTS)


def test_data_in_a_subfolder_at_an_offset(tmp_path: Path) -> None:
    entries = {"location": "data/w.bin", "offset": "8", "length": "16"}
    path = written(tmp_path, entries, bytes(8) + WEIGHTS.tobytes() + bytes(3))
    np.testing.assert_array_equal(load(path, **STUBS).graph["w"].data, WEIGHTS)


def test_the_hash_covers_external_data(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"}, WEIGHTS.tobytes())
    before = load(path, **STUBS).sha256
    assert load(path, **STUBS).sha256 == before
    (tmp_path / "w.bin").write_bytes((WEIGHTS + 1).tobytes())
    assert load(path, **STUBS).sha256 != before


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "file 'w.bin' is missing" in refused(written(tmp_path, {"location": "w.bin"})).message


@pytest.mark.parametrize(
    "location",
    ["../w.bin", "/etc/passwd", "a/../../w.bin", "C:\\w.bin", "..\\w.bin", "\\\\host\\w.bin", ""],
)
def test_a_path_out_of_the_folder_is_refused(tmp_path: Path, location: str) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    error = refused(written(tmp_path / "a", {"location": location}))
    assert "leaves the model's folder" in error.message


def test_a_name_with_nul_is_refused(tmp_path: Path) -> None:
    assert "leaves" in refused(written(tmp_path, {"location": "w\0.bin"})).message


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
@pytest.mark.parametrize("through_folder", [False, True])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, through_folder: bool) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    location = "up/w.bin" if through_folder else "w.bin"
    path = written(tmp_path / "a", {"location": location})
    if through_folder:
        (tmp_path / "a" / "up").symlink_to(tmp_path)
    else:
        (tmp_path / "a" / "w.bin").symlink_to(tmp_path / "w.bin")
    assert "is a link out of the model's folder" in refused(path).message


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_a_link_that_goes_in_circles(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"})
    (tmp_path / "w.bin").symlink_to(tmp_path / "w.bin")
    assert "missing" in refused(path).message


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"})
    (tmp_path / "real.bin").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "w.bin").symlink_to(tmp_path / "real.bin")
    assert load(path, **STUBS).graph["w"].is_constant


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"})
    os.mkfifo(tmp_path / "w.bin")
    assert "not a regular file" in refused(path).message


def test_a_folder_is_no_data(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"})
    (tmp_path / "w.bin").mkdir()
    assert "not a regular file" in refused(path).message


def test_a_file_beyond_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path, {"location": "w.bin"})
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(2**31)
    assert "over 2147483647 bytes" in refused(path).message


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({"length": "15"}, "length is 15 bytes, its shape needs 16"),
        ({"offset": "4"}, "12 bytes from offset 4 where 16 are needed"),
        ({"offset": "999"}, "0 bytes from offset 999 where 16 are needed"),
        ({"offset": "-1"}, "offset is '-1', not a byte count"),
        ({"offset": "1e3"}, "offset is '1e3', not a byte count"),
        ({"length": "9" * 40}, "length is '9999"),
    ],
)
def test_offsets_and_lengths_must_fit(
    tmp_path: Path, entries: dict[str, str], problem: str
) -> None:
    path = written(tmp_path, {"location": "w.bin", **entries}, WEIGHTS.tobytes())
    assert problem in refused(path).message


def test_a_model_in_memory_has_no_folder() -> None:
    proto = external_model({"location": "w.bin"})
    with pytest.raises(ModelError, match="a model that is not loaded from a file cannot have any"):
        load_model(proto, **STUBS)


def test_a_model_in_memory_with_a_folder(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    found = load_model(external_model({"location": "w.bin"}), base_dir=tmp_path, **STUBS)
    np.testing.assert_array_equal(found.graph["w"].data, WEIGHTS)
