"""Samples: several per file with recorded outputs, or one; seeded ones repeat."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from mcugen.errors import ModelError
from mcugen.ir import DType, Graph, Tensor
from mcugen.samples import load_samples, random_samples


@pytest.fixture
def graph() -> Graph:
    tensors = {
        "x": Tensor("x", (2, 3), DType.FLOAT32),
        "flag": Tensor("flag", (4,), DType.BOOL),
        "index": Tensor("index", (), DType.INT64),
    }
    return Graph("g", (), tensors, ("x", "flag", "index"), ("x",))


def arrays(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "x": rng.standard_normal((2, 3)).astype(np.float32),
        "flag": rng.integers(0, 2, 4).astype(bool),
        "index": np.int64(seed)[...],
    }


def test_several_samples_with_outputs(graph: Graph, tmp_path: Path) -> None:
    stored = {f"in{k}/{n}": a for k in range(3) for n, a in arrays(k).items()}
    stored["out1/x"] = np.ones((2, 3), np.float32)
    np.savez(tmp_path / "s.npz", other=np.zeros(1), **stored)
    samples = load_samples(tmp_path / "s.npz", graph)
    assert len(samples) == 3
    assert [sorted(s.outputs) for s in samples] == [[], ["x"], []]
    np.testing.assert_array_equal(samples[2].inputs["x"], arrays(2)["x"])


def test_one_sample(graph: Graph, tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", **arrays(5))
    (sample,) = load_samples(tmp_path / "s.npz", graph)
    assert int(sample.inputs["index"]) == 5


def test_pickles_are_not_loaded(graph: Graph, tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", x=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="cannot be read"):
        load_samples(tmp_path / "s.npz", graph)


def test_a_plain_npy_is_refused(graph: Graph, tmp_path: Path) -> None:
    np.save(tmp_path / "s.npy", np.zeros(3))
    with pytest.raises(ModelError, match="not an npz"):
        load_samples(tmp_path / "s.npy", graph)


def test_random_samples_repeat_and_differ(graph: Graph) -> None:
    first, again = random_samples(graph, 2), random_samples(graph, 2)
    np.testing.assert_array_equal(first[1].inputs["x"], again[1].inputs["x"])
    assert not np.array_equal(first[0].inputs["x"], first[1].inputs["x"])
    for name, tensor in graph.tensors.items():
        assert first[0].inputs[name].dtype == tensor.dtype.np
        assert first[0].inputs[name].shape == tensor.shape


def test_numbers_may_have_gaps(graph: Graph, tmp_path: Path) -> None:
    stored = {f"in{k}/{n}": a for k in (1, 12) for n, a in arrays(k).items()}
    np.savez(tmp_path / "s.npz", **stored)
    assert [int(s.inputs["index"]) for s in load_samples(tmp_path / "s.npz", graph)] == [1, 12]


@pytest.mark.parametrize("wrong", [np.zeros((3, 2), np.float32), np.zeros((2, 3))])
def test_a_recorded_output_that_is_not_the_models(
    graph: Graph, tmp_path: Path, wrong: np.ndarray
) -> None:
    stored = {f"in0/{n}": a for n, a in arrays(0).items()}
    np.savez(tmp_path / "s.npz", **stored, **{"out0/x": wrong})
    with pytest.raises(ModelError, match=r"array 'out0/x' is .* the model's 'x' is float32"):
        load_samples(tmp_path / "s.npz", graph)


def test_files_that_hold_no_arrays(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    with pytest.raises(ModelError, match=r"s\.npz cannot be read: No such file or directory$"):
        load_samples(path, graph)
    path.write_bytes(b"text")
    with pytest.raises(ModelError, match="is not an npz file"):
        load_samples(path, graph)
    with zipfile.ZipFile(path, "w") as archive:
        for name in graph.inputs:
            archive.writestr(name, b"no array")
    with pytest.raises(ModelError, match="array 'x' is "):
        load_samples(path, graph)


def test_a_damaged_archive(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    np.savez_compressed(path, **arrays(5))
    content = bytearray(path.read_bytes())
    for at in range(40, 200):
        content[at] ^= 0x55
    path.write_bytes(content)
    with pytest.raises(ModelError, match="cannot be read"):
        load_samples(path, graph)
