"""Sample inputs and recorded outputs: from a user's npz file, or seeded."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcugen.errors import ModelError
from mcugen.ir import Array, Graph, Tensor

_MAX_SAMPLES = 1000
_SEED = 2024
_DAMAGE = (ValueError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError)
"""What reading a damaged, encrypted or otherwise odd archive raises."""


@dataclass(frozen=True)
class Sample:
    """One inference: graph input name -> array, and recorded outputs where there are any."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array] = field(default_factory=dict)


def random_samples(graph: Graph, count: int, seed: int = _SEED) -> tuple[Sample, ...]:
    """Seeded samples: normal floats, 8-bit integers over their range, small indices otherwise."""
    rng = np.random.default_rng(seed)
    return tuple(
        Sample({name: _random(rng, graph[name]) for name in graph.inputs}) for _ in range(count)
    )


def _random(rng: np.random.Generator, tensor: Tensor) -> Array:
    dtype = tensor.dtype.np
    if dtype.kind == "f":
        return rng.standard_normal(tensor.shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, tensor.shape).astype(dtype)
    if dtype.itemsize <= 2:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, tensor.shape, dtype=dtype, endpoint=True)
    return rng.integers(0, 8, tensor.shape).astype(dtype)


def load_samples(path: str | Path, graph: Graph) -> tuple[Sample, ...]:
    """Samples of an npz file.

    One array per input name is one sample; `in{k}/{name}` gives several, with `out{k}/{name}`
    as recorded outputs. Other keys are ignored.

    Raises:
        ModelError: the file cannot be read, an input is missing, or an array has another shape
            or dtype than the model's input or output.
    """
    arrays = _read(Path(path), (*graph.inputs, *graph.outputs))
    found = (re.match(r"in(\d+)/", key) for key in arrays)
    numbers = sorted({int(match[1]) for match in found if match})[:_MAX_SAMPLES]
    samples = []
    for k in numbers:
        inputs = {n: _array(arrays, f"in{k}/{n}", graph[n], path) for n in graph.inputs}
        recorded = [n for n in graph.outputs if f"out{k}/{n}" in arrays]
        outputs = {n: _array(arrays, f"out{k}/{n}", graph[n], path) for n in recorded}
        samples.append(Sample(inputs, outputs))
    if not samples:
        samples.append(Sample({n: _array(arrays, n, graph[n], path) for n in graph.inputs}))
    return tuple(samples)


def _read(path: Path, names: Sequence[str]) -> dict[str, Array]:
    """The arrays whose key is an input's or output's name, or ends with `/` and one."""
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise ModelError(f"{path} is not an npz file", hint="numpy.savez(path, name=array)")
        with np.load(path, allow_pickle=False) as archive:
            wanted = [k for k in archive.files if any(k == n or k.endswith(f"/{n}") for n in names)]
            if not wanted:
                known = ", ".join(sorted(archive.files)[:8])
                raise ModelError(f"{path} has no array for {', '.join(names)}; it has {known}")
            return {key: archive[key] for key in wanted}
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    except _DAMAGE as error:
        raise ModelError(f"{path} cannot be read as an npz file: {error}") from error


def _array(arrays: Mapping[str, Array], key: str, tensor: Tensor, path: str | Path) -> Array:
    if key not in arrays:
        known = ", ".join(sorted(arrays)[:8])
        raise ModelError(f"{path} has no array '{key}' for '{tensor.name}'; it has {known}")
    array = np.asarray(arrays[key])  # bytes, where the archive holds something else
    if array.shape != tensor.shape or array.dtype != tensor.dtype.np:
        raise ModelError(
            f"{path}: array '{key}' is {array.dtype}{list(array.shape)}, "
            f"the model's '{tensor.name}' is {tensor.dtype.value}{list(tensor.shape)}"
        )
    return array
