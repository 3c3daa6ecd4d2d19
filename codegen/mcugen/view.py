"""Program + MemoryPlan -> CModel: every name, string and number that the templates print.

Templates decide nothing: what they branch on is the presence of a value made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcugen.c_model import (
    CCall,
    CConstant,
    CFunction,
    CImage,
    CModel,
    COutput,
    CTensor,
    EmitOptions,
)
from mcugen.c_types import C_TYPES, comment_text
from mcugen.ir import Array, DType, Tensor
from mcugen.kernels import vendor_libraries
from mcugen.names import Names, identifier, shortened
from mcugen.ops.quantize_linear import QUANTIZED
from mcugen.plan.problem import MemoryPlan
from mcugen.program import Program, Step

ARENA_ALIGN_BYTES = 16
_NAME_CHARS = 60
"""Longer node names (tf2onnx writes hundreds of characters) are cut in front in the C."""
_EMPTY_ARENA_BYTES = 16
"""C has no empty array: the size of an arena that holds only empty tensors."""


@dataclass(frozen=True)
class _Locator:
    """Tensor -> C expression of its address."""

    program: Program
    plan: MemoryPlan
    io_caller: bool
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]

    def offset(self, tensor: str) -> int | None:
        """Bytes from the arena's start; None when the tensor lies in a caller's buffer."""
        place = self.program.places[tensor]
        if self.io_caller and place.buffer in {**self.inputs, **self.outputs}:
            return None
        return self.plan.offsets[place.buffer] + place.offset_bytes

    def address(self, tensor: str, *, write: bool) -> str:
        """A pointer expression of the tensor's type."""
        place = self.program.places[tensor]
        const = "" if write else "const "
        ctype = C_TYPES[self.program.graph[tensor].dtype]
        offset = self.offset(tensor)
        if offset is not None:
            return f"({const}{ctype} *)({const}void *)&arena[{offset}]"
        base = {**self.inputs, **self.outputs}[place.buffer]
        byte = "uint8_t *)" if place.buffer in self.outputs else "const uint8_t *)"
        return f"({const}{ctype} *)({const}void *)&(({byte}{base})[{place.offset_bytes}]"


def build(
    program: Program,
    plan: MemoryPlan,
    options: EmitOptions,
    *,
    model_hash: str,
    version: str,
) -> CModel:
    """The CModel of a planned program.

    Args:
        program: the lowered model.
        plan: order and offsets.
        options: prefix and interface.
        model_hash: hexadecimal hash of the ONNX file.
        version: mcugen's version.
    """
    graph = program.graph
    inputs = [f"in{i}" for i in range(len(graph.inputs))]
    outputs = [f"out{i}" for i in range(len(graph.outputs))]
    locator = _Locator(
        program,
        plan,
        options.io_buffers == "caller",
        dict(zip(graph.inputs, inputs, strict=True)),
        dict(zip(graph.outputs, outputs, strict=True)),
    )
    steps = program.in_order(plan.order)
    libraries = tuple(sorted({s.kernel.library for s in steps if s.kernel}))
    pool = _ConstantPool(options.prefix)
    functions, calls = [], []
    for index, step in enumerate(steps):
        function = _function(program, step)
        functions.append(function)
        calls.append(_call(locator, pool, step, index, options))
    read = {program.places[n].buffer for s in steps for n in s.inputs if n in program.places}
    return CModel(
        prefix=options.prefix,
        macro=options.prefix.upper(),
        name=graph.name,
        hash=model_hash,
        version=version,
        libraries=libraries,
        headers=tuple(sorted({h for s in steps if s.kernel for h in s.kernel.headers})),
        inputs=tuple(
            _io_tensor(locator, i, graph[n], inputs[i]) for i, n in enumerate(graph.inputs)
        ),
        outputs=tuple(
            _io_tensor(locator, i, graph[n], outputs[i]) for i, n in enumerate(graph.outputs)
        ),
        constants=pool.constants,
        functions=tuple(functions),
        calls=tuple(calls),
        arena_bytes=plan.arena_bytes or _EMPTY_ARENA_BYTES * (options.io_buffers == "arena"),
        arena_align=ARENA_ALIGN_BYTES,
        io_caller=options.io_buffers == "caller",
        arena_caller=options.arena == "caller",
        macs=program.macs,
        unread_inputs=tuple(
            ident for n, ident in locator.inputs.items() if locator.io_caller and n not in read
        ),
        not_reentrant=tuple(v.title for v in vendor_libraries(libraries) if not v.reentrant),
    )


def _io_tensor(locator: _Locator, index: int, tensor: Tensor, ident: str) -> CTensor:
    quant = tensor.quant if tensor.quant is not None and tensor.quant.per_tensor else None
    return CTensor(
        index=index,
        name=tensor.name,
        ident=ident,
        dtype=tensor.dtype,
        shape=tensor.shape,
        elems=tensor.size,
        bytes=tensor.nbytes,
        scale=None if quant is None else float(quant.scale),
        zero_point=None if quant is None else int(quant.zero_point),
        offset_bytes=locator.offset(tensor.name),
        axes=tensor.source.perm if tensor.source else None,
        image=_image(tensor) if tensor.name in locator.inputs else None,
    )


def _image(tensor: Tensor) -> CImage | None:
    """Images of 1 or 3 channels in a float or quantized tensor, told by its shape alone.

    Channels are first, as in ONNX, where both ends would do.
    """
    quantized = tensor.dtype in QUANTIZED and tensor.quant is not None and tensor.quant.per_tensor
    if tensor.rank != 4 or tensor.size == 0 or not (quantized or tensor.dtype is DType.FLOAT32):
        return None
    n, *rest = tensor.shape
    moved = tensor.source is not None and tensor.source.perm is not None
    for channels in (3, 1):
        if rest[0] == channels and not moved:
            return CImage(n, rest[1], rest[2], channels, channels_last=False)
        if rest[2] == channels:
            return CImage(n, rest[0], rest[1], channels, channels_last=True)
    return None


class _ConstantPool:
    """Constants by content: equal arrays are stored once."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._names = Names()
        self._by_content: dict[tuple[str, bytes], CConstant] = {}

    @property
    def constants(self) -> tuple[CConstant, ...]:
        return tuple(self._by_content.values())

    def add(self, array: Array, hint: str, origin: str) -> str:
        """The identifier of a stored array equal to `array`."""
        key = (array.dtype.name, array.tobytes())
        if key not in self._by_content:
            ident = f"{self._prefix}_{self._names.unique(hint)}"
            ctype = C_TYPES[DType.of(array)]
            self._by_content[key] = CConstant(ident, ctype, array.reshape(-1), origin)
        return self._by_content[key].ident


def _arguments_of(names: int, letter: str) -> list[str]:
    return [letter] if names == 1 else [f"{letter}{i}" for i in range(names)]


def _function(program: Program, step: Step) -> CFunction:
    assert step.kernel is not None
    graph = program.graph
    types = [C_TYPES[graph[n].dtype] for n in step.inputs]
    out_types = [C_TYPES[graph[n].dtype] for n in step.outputs]
    arguments = [
        f"const {t} *{n}" for t, n in zip(types, _arguments_of(len(types), "x"), strict=True)
    ]
    arguments += [
        f"{t} *{n}" for t, n in zip(out_types, _arguments_of(len(out_types), "y"), strict=True)
    ]
    arguments += [f"const {C_TYPES[DType.of(c.array)]} *{c.name}" for c in step.constants]
    if step.scratch_bytes:
        arguments.append("void *scratch")
    return CFunction(
        template=step.kernel.template,
        signature=", ".join(arguments),
        params=step.kernel.form(step.params),
        base_name=identifier(step.node.op),
        comment=_describe(program, step),
        scratch_bytes=step.scratch_bytes,
    )


def _type_text(tensor: Tensor) -> str:
    return f"{tensor.dtype.value} [{','.join(str(d) for d in tensor.shape)}]"


def _describe(program: Program, step: Step) -> str:
    graph = program.graph
    names = step.node.origin or (step.node.name,)
    nodes = ", ".join(f'"{shortened(o, _NAME_CHARS)}"' for o in names)
    ins = ", ".join(_type_text(graph[n]) for n in step.inputs)
    outs = ", ".join(_type_text(graph[n]) for n in step.outputs)
    return comment_text(f"node {nodes}: {step.node.op} {ins} -> {outs}")


def _call(
    locator: _Locator, pool: _ConstantPool, step: Step, index: int, options: EmitOptions
) -> CCall:
    graph = locator.program.graph
    label = identifier(step.node.op)
    origin = comment_text(f"{step.node.op} {shortened(step.node.name, _NAME_CHARS)}")
    arguments = []
    for position, name in enumerate(step.inputs):
        data = graph[name].data
        if data is None:
            arguments.append(locator.address(name, write=False))
        else:
            arguments.append(pool.add(data, f"{label}_{index}_x{position}", origin))
    outputs = [locator.address(n, write=True) for n in step.outputs]
    arguments += outputs
    arguments += [pool.add(c.array, f"{label}_{index}_{c.name}", origin) for c in step.constants]
    if step.scratch_bytes:
        arguments.append(f"&arena[{locator.plan.scratch_offsets[step.node.name]}]")
    return CCall(
        index=index,
        comment=_describe(locator.program, step),
        op=step.node.op,
        node=shortened(step.node.name, _NAME_CHARS),
        function="",
        arguments=tuple(arguments),
        outputs=tuple(
            COutput(n, text, graph[n].nbytes) for n, text in zip(step.outputs, outputs, strict=True)
        ),
        scratch_bytes=step.scratch_bytes,
        guarded=step.kernel is not None and step.kernel.guarded,
    )
