"""Samples for a board: from an npz file with labels, or one that is seeded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcugen.errors import ModelError
from mcugen.host import HostModel, same_bits
from mcugen.ir import Array, DType, Graph, Tensor
from mcugen.samples import load_samples, random_samples

LABELS = "labels"
"""Key of the npz file's class indices, one integer a sample."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples in the model's own types.

    Attributes:
        samples: input name -> array, per sample.
        labels: class indices; None without.
    """

    samples: tuple[Mapping[str, Array], ...]
    labels: tuple[int, ...] | None


def seeded(model: HostModel) -> Dataset:
    """One seeded sample without a label."""
    graph = _graph(model.inputs, model.outputs)
    return Dataset(tuple(s.inputs for s in random_samples(graph, 1)), None)


def load_dataset(path: Path, model: HostModel) -> Dataset:
    """The samples of an npz file; floats for a quantized input are quantized by its own numbers.

    Raises:
        ModelError: an array is missing or has another shape or type, or labels do not fit.
    """
    wanted = {t.name: t for t in model.inputs}
    floats = {t.name: _as_float(t) for t in model.inputs}
    try:
        found = load_samples(path, _graph(model.inputs, ()))
    except ModelError:
        if floats == wanted:
            raise
        found = load_samples(path, _graph(tuple(floats.values()), ()))
    samples = tuple(
        {name: _quantized(array, wanted[name]) for name, array in sample.inputs.items()}
        for sample in found
    )
    return Dataset(samples, _labels(path, len(samples)))


def input_bytes(model: HostModel, sample: Mapping[str, Array]) -> bytes:
    """What `db load` takes: all inputs one after the other, little-endian."""
    return b"".join(
        np.ascontiguousarray(sample[t.name], t.dtype.np.newbyteorder("<")).tobytes()
        for t in model.inputs
    )


def output_array(tensor: Tensor, data: bytes) -> Array:
    """An output of its bytes."""
    return np.frombuffer(data, tensor.dtype.np.newbyteorder("<")).reshape(tensor.shape)


def first_difference(tensor: Tensor, got: Array, wanted: Array) -> str:
    """Where an output first differs; "" where every byte is equal, NaNs all being one."""
    equal = same_bits(
        np.ascontiguousarray(got, tensor.dtype.np).reshape(-1),
        np.ascontiguousarray(wanted, tensor.dtype.np).reshape(-1),
    )
    if equal.all():
        return ""
    at = int(np.argmin(equal))
    values = f"{got.reshape(-1)[at]}, the host's is {wanted.reshape(-1)[at]}"
    return f"output '{tensor.name}', element {at} is {values}"


def _graph(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Graph:
    tensors = {t.name: t for t in (*inputs, *outputs)}
    names = (tuple(t.name for t in inputs), tuple(t.name for t in outputs))
    return Graph("dataset", (), tensors, *names)


def _as_float(tensor: Tensor) -> Tensor:
    return tensor if tensor.quant is None else tensor.replace(dtype=DType.FLOAT32, quant=None)


def _quantized(array: Array, tensor: Tensor) -> Array:
    """QuantizeLinear of floats for a quantized input; others as they are."""
    if tensor.quant is None or array.dtype == tensor.dtype.np:
        return array
    info = np.iinfo(tensor.dtype.np)
    scaled = np.rint(array / np.float32(tensor.quant.scale)) + np.float32(tensor.quant.zero_point)
    return np.clip(scaled, info.min, info.max).astype(tensor.dtype.np)


def _labels(path: Path, count: int) -> tuple[int, ...] | None:
    with np.load(path, allow_pickle=False) as archive:
        if LABELS not in archive.files:
            return None
        found = np.asarray(archive[LABELS])
    if found.dtype.kind not in "iu" or found.ndim != 1 or len(found) < count:
        raise ModelError(
            f"{path}: '{LABELS}' is {found.dtype}{list(found.shape)}, "
            f"one integer for each of {count} samples is wanted"
        )
    return tuple(int(v) for v in found[:count])
