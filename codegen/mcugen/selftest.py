"""The embedded self-test: one sample, and the CRC-32 of every layer's bytes by the reference."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from mcugen import reference
from mcugen.c_model import CModel
from mcugen.c_types import MCUGEN_TYPES
from mcugen.compiler import Compiled
from mcugen.distance import sample_feeds
from mcugen.ir import Array
from mcugen.render import environment
from mcugen.samples import Sample

_POINTER_BYTES = 4
_TENSOR_BYTES = 8
"""Of one `mcugen_selftest_tensor`: CRC and dtype."""


@dataclass(frozen=True)
class SelftestTensor:
    """What one tensor must hold.

    Attributes:
        tensor: its name.
        mcugen_type: the runtime's name of its element type.
        crc: CRC-32 of its bytes, little-endian, NaNs canonical.
    """

    tensor: str
    mcugen_type: str
    crc: int


@dataclass(frozen=True, eq=False)
class Selftest:
    """Data of the self-test that an exported project embeds.

    Attributes:
        level: "full" or "crc".
        inputs: the sample, in order of the lowered graph's inputs.
        layers: outputs of every call, in the order of the calls.
        outputs: the model's outputs.
        expected: their values, with level "full"; else empty.
        table_bytes: the step table that tracing adds to the model.
    """

    level: str
    inputs: tuple[Array, ...]
    layers: tuple[SelftestTensor, ...]
    outputs: tuple[SelftestTensor, ...]
    expected: tuple[Array, ...]
    table_bytes: int

    @property
    def bytes(self) -> int:
        """Flash that the data takes on a 32-bit board."""
        arrays = sum(int(a.nbytes) for a in (*self.inputs, *self.expected))
        return arrays + _TENSOR_BYTES * len(self.layers + self.outputs) + self.table_bytes


def crc32(array: Array) -> int:
    """CRC-32 (IEEE 802.3) of an array's bytes, little-endian, every NaN as the quiet one."""
    data = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    if data.dtype.kind == "f":
        data = np.where(np.isnan(data), data.dtype.type(np.nan), data)
    return zlib.crc32(data.tobytes())


def make_selftest(compiled: Compiled, sample: Sample, level: str = "crc") -> Selftest:
    """The self-test of a sample.

    Args:
        compiled: the model.
        sample: inputs in terms of the imported ONNX graph.
        level: "crc", or "full" to embed the expected outputs too.
    """
    graph = compiled.graph
    feeds = sample_feeds(compiled, sample)
    values = reference.run(compiled.program, feeds)
    steps = compiled.program.in_order(compiled.plan.order)

    def tensor(name: str) -> SelftestTensor:
        return SelftestTensor(name, MCUGEN_TYPES[graph[name].dtype], crc32(value(name)))

    def value(name: str) -> Array:
        data = graph[name].data
        return values[name] if data is None else data

    return Selftest(
        level=level,
        inputs=tuple(feeds[n] for n in graph.inputs),
        layers=tuple(tensor(o) for s in steps for o in s.outputs),
        outputs=tuple(tensor(o) for o in graph.outputs),
        expected=tuple(value(o) for o in graph.outputs) if level == "full" else (),
        table_bytes=sum(_row_bytes(c.node, c.op) for c in compiled.model.calls),
    )


def _row_bytes(name: str, op: str) -> int:
    """A `mcugen_step` with its two strings."""
    return 5 * _POINTER_BYTES + len(name.encode()) + len(op.encode()) + 2


def selftest_files(model: CModel, test: Selftest | None) -> dict[str, str]:
    """File name -> text of the data; without a test the project only runs and times the model."""
    env = environment()
    return {
        f"{model.prefix}_selftest.{kind}": env.get_template(f"project/selftest.{kind}.j2").render(
            m=model, test=test
        )
        for kind in ("h", "c")
    }
