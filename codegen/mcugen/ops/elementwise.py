"""Elementwise operators: y[i] = f(a[i], b[i], ...) over the broadcast output, one row per operator.

A `Row` holds the function three times: by ONNX (`semantics`), as float32 NumPy steps (`twin`) and
as C text (`c`). All of them share the loops below and `templates/portable/elementwise.c.j2`: the
output is written in row-major order by as few loops as the broadcasting allows, and an operand is
loaded at the outermost loop where its value is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from mcugen.c_types import ctype, float_literal, int_literal
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.axes import strides
from mcugen.ops.broadcasting import broadcast, broadcast_strides, collapse, index_text
from mcugen.ops.common import Clamp
from mcugen.ops.copying import argument_names
from mcugen.ops.spec import (
    Constant,
    Constraint,
    FromOnnx,
    Inputs,
    IntegerForm,
    Kernel,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)

VARIABLES = "abcd"

F32 = frozenset({DType.FLOAT32})
FLOATS = frozenset({DType.FLOAT32, DType.FLOAT64})
SIGNED = frozenset({DType.INT8, DType.INT16, DType.INT32, DType.INT64})
UNSIGNED = frozenset({DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64})
INTEGERS = SIGNED | UNSIGNED
NUMBERS = FLOATS | INTEGERS
BOOL = frozenset({DType.BOOL})
BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True)
class NoAttrs:
    """No attributes."""


def required(tensor: Tensor | None) -> Tensor:
    """The tensor, which the operator requires."""
    assert tensor is not None
    return tensor


def literal(value: float, dtype: DType) -> str:
    """`value` as a C expression of the element type."""
    if not dtype.is_float:
        return int_literal(int(value))
    cast = "" if dtype is DType.FLOAT32 else "(double)"
    if math.isnan(value):
        return f"{cast}mcugen_nan()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}{cast}mcugen_inf()"
    return float_literal(value, "f" if dtype is DType.FLOAT32 else "")


def bounds_in(dtype: DType, low: float, high: float) -> tuple[float, float]:
    """The bounds as numbers of the element type, integers within its range; low <= high."""
    clamp = Clamp(low, high)
    found = clamp.integers(dtype) if dtype.is_integer else clamp
    return found.low, found.high


def narrowed(text: str, dtype: DType) -> str:
    """`text`, a C expression of `dtype` or of int, as `dtype`: C computes narrow types as int."""
    return f"({ctype(dtype)})({text})" if dtype.itemsize < 4 and not dtype.is_float else text


def wrapped(template: str, dtype: DType) -> str:
    """Integer arithmetic modulo 2^bits: `{a}` and `{b}` are the operands as unsigned numbers."""
    unsigned = "uint64_t" if dtype.itemsize == 8 else "uint32_t"
    text = template.format(a=f"({unsigned})a", b=f"({unsigned})b")
    return f"({ctype(dtype)})({text})"


@dataclass(frozen=True)
class Operand:
    """One array that the kernel reads.

    Attributes:
        dtype: element type.
        pointer: C argument.
        variable: C name of the loaded element.
        steps: per loop, elements between neighbours.
        prepare: C statements on the loaded element, as far out as it is known.
    """

    dtype: DType
    pointer: str
    variable: str
    steps: tuple[int, ...]
    prepare: tuple[str, ...] = ()

    @property
    def depth(self) -> int:
        """How many loops are around the load."""
        return max((k + 1 for k, s in enumerate(self.steps) if s), default=0)

    @property
    def index(self) -> str:
        """C index of the element."""
        return index_text(self.steps)


@dataclass(frozen=True, eq=False)
class ElementwiseParams:
    """What the elementwise kernel does.

    Attributes:
        attrs: what the row's functions were given: the node's attributes, or numbers made of
            them.
        dtype: element type of the output.
        extents: loops, outermost first; none for a single element.
        operands: arrays read, inputs before constants.
        inputs: how many of the operands are tensors of the graph.
        result: C expression of the output element.
        constants: arrays of the kernel's own.
        elements: number of output elements.
    """

    attrs: Any
    dtype: DType
    extents: tuple[int, ...]
    operands: tuple[Operand, ...]
    inputs: int
    result: str
    constants: tuple[Constant, ...] = ()

    @property
    def elements(self) -> int:
        """Number of output elements."""
        return math.prod(self.extents)

    @property
    def y_index(self) -> str:
        """C index of the output element."""
        return index_text(strides(self.extents))

    def loads(self, depth: int) -> tuple[Operand, ...]:
        """The operands to load inside exactly `depth` loops."""
        return tuple(o for o in self.operands if o.depth == depth)


def inplace(params: ElementwiseParams) -> tuple[tuple[int, int], ...]:
    """The output may replace an input read once, in order, by elements at least as wide.

    Element i is read before it is written. The types are equal, or the output is made of bytes,
    which may alias anything in C.
    """
    row_major = strides(params.extents)
    return tuple(
        (0, i)
        for i, o in enumerate(params.operands[: params.inputs])
        if o.steps == row_major and (o.dtype is params.dtype or params.dtype in BYTES)
    )


def constants(params: ElementwiseParams) -> tuple[Constant, ...]:
    """The kernel's own arrays."""
    return params.constants


ELEMENTWISE = Kernel(
    "portable/elementwise.c.j2", constants=constants, headers=("mcugen_int.h", "mcugen_math.h")
)
"""The kernel of every operator that lowers to ElementwiseParams."""


@dataclass(frozen=True)
class Extra:
    """An operand that is the kernel's own: a broadcastable array with the C name `name`."""

    name: str
    array: Array


def lowered(
    site: Site,
    attrs: Any,
    result: str,
    *,
    inputs: Sequence[Tensor] | None = None,
    prepare: Sequence[Sequence[str]] = (),
    extras: Sequence[Extra] = (),
    tables: Sequence[Constant] = (),
) -> Lowered:
    """Loops over output 0 for the node.

    Args:
        site: the node.
        attrs: for the twin.
        result: C expression of an output element; operand k is loaded as `a`, `b`, `c`, ...
        inputs: the tensors read, default all inputs of the node.
        prepare: per operand, C statements after its load.
        extras: further operands in flash, named by themselves.
        tables: arrays in flash that `result` indexes by itself.
    """
    read = [required(t) for t in site.inputs] if inputs is None else list(inputs)
    out = site.outputs[0]
    shapes = [t.shape for t in read] + [e.array.shape for e in extras]
    walks = [broadcast_strides(s, out.shape) for s in shapes]
    extents, steps = collapse(out.shape, walks)
    names = (*argument_names("x", len(read)), *(e.name for e in extras))
    variables = (*VARIABLES[: len(read)], *(f"{e.name}_i" for e in extras))
    dtypes = [t.dtype for t in read] + [DType.of(e.array) for e in extras]
    lines = [tuple(p) for p in prepare] + [()] * (len(shapes) - len(prepare))
    rows = zip(dtypes, names, variables, steps, lines, strict=True)
    stored = (*(Constant(e.name, e.array) for e in extras), *tables)
    operands = tuple(Operand(*row) for row in rows)
    params = ElementwiseParams(attrs, out.dtype, extents, operands, len(read), result, stored)
    return Lowered(params, tuple(t.name for t in read))


Function = Callable[..., Array]
"""(attrs, *arrays) -> array, broadcast by NumPy."""


@dataclass(frozen=True)
class Row:
    """One elementwise operator whose inputs have one element type.

    Attributes:
        name: internal operator.
        c: (attrs, element type) -> C expression of the result, of `a`, `b`, ...
        twin: the steps of `c` in NumPy, on arrays of that type.
        semantics: ONNX's meaning on arrays of any type; the twin when None.
        dtypes: element types that `c` covers.
        predicate: whether the result is bool.
        onnx: importers.
        constraints: besides that of the element type.
        activates: whether `c` and `twin` honour `attrs.activation`.
        quantize: see OpSpec.
        vendor: kernels of vendors' libraries.
    """

    name: str
    c: Callable[[Any, DType], str]
    twin: Function
    semantics: Function | None = None
    dtypes: frozenset[DType] = F32
    predicate: bool = False
    onnx: Mapping[str, FromOnnx] = field(default_factory=lambda: MappingProxyType({}))
    constraints: tuple[Constraint, ...] = ()
    activates: bool = False
    quantize: Callable[[QuantSite], IntegerForm] | None = None
    vendor: tuple[Kernel, ...] = ()


def type_names(dtypes: frozenset[DType]) -> str:
    """Element types as in an error message, in the order of DType."""
    return ", ".join(d.value for d in DType if d in dtypes)


def element_type_rule(dtypes: frozenset[DType]) -> Constraint:
    """The constraint that the first input has one of these types, unless all is constant.

    What is constant is computed by `semantics`, which takes any type.
    """

    def rule(attrs: Any, inputs: Inputs) -> str | None:
        del attrs
        if all(t is None or t.is_constant for t in inputs):
            return None
        dtype = required(inputs[0]).dtype
        return None if dtype in dtypes else dtype.value

    rule.__doc__ = f"element type must be {type_names(dtypes)}"
    return rule


def same_type(inputs: Inputs) -> DType:
    """The element type of all inputs.

    Raises:
        Reject: they differ.
    """
    dtypes = [required(t).dtype for t in inputs]
    if len(set(dtypes)) > 1:
        listed = " and ".join(d.value for d in dtypes)
        raise Reject(f"inputs must have the same element type, got {listed}")
    return dtypes[0]


def keep_attrs(site: Site, perm: tuple[int, ...]) -> Any:
    """For OpSpec.permute: what is elementwise does not care about the order of axes."""
    del perm
    return site.attrs


def in_double(function: Function) -> Function:
    """A float function evaluated in float64 and rounded to the inputs' type; for `semantics`."""

    def run(attrs: Any, *arrays: Array) -> Array:
        with np.errstate(all="ignore"):
            wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
            return np.asarray(function(attrs, *wide)).astype(arrays[0].dtype)

    return run


def evaluate(function: Function, attrs: Any, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """The function's result as the one output, without floating-point warnings."""
    with np.errstate(all="ignore"):
        result = np.asarray(function(attrs, *arrays))
    return (np.ascontiguousarray(result).reshape(result.shape),)


def spec_of(row: Row) -> OpSpec:
    """The OpSpec of a row."""

    def infer(attrs: Any, inputs: Inputs) -> tuple[TensorType, ...]:
        del attrs
        dtype = DType.BOOL if row.predicate else same_type(inputs)
        return (TensorType(broadcast([required(t).shape for t in inputs]), dtype),)

    def lower(site: Site) -> Lowered:
        assert row.activates or not getattr(site.attrs, "activation", None), site.node.name
        return lowered(site, site.attrs, row.c(site.attrs, site.input(0).dtype))

    semantics = row.semantics or row.twin
    return OpSpec(
        name=row.name,
        infer=infer,
        semantics=lambda attrs, arrays: evaluate(semantics, attrs, arrays),
        lower=lower,
        reference=lambda params, arrays: evaluate(row.twin, params.attrs, arrays),
        kernels=(*row.vendor, ELEMENTWISE),
        onnx=row.onnx,
        constraints=(element_type_rule(row.dtypes), *row.constraints),
        inplace=inplace,
        permute=keep_attrs,
        quantize=row.quantize,
    )
