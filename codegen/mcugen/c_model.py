"""CModel: all that the templates of a model see. Data only; view.py fills it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcugen.c_types import C_TYPES, MCUGEN_TYPES
from mcugen.ir import Array, DType


@dataclass(frozen=True)
class EmitOptions:
    """How the C interface looks.

    Attributes:
        prefix: what every file-scope name starts with; a C identifier.
        io_buffers: "arena" plans inputs and outputs, "caller" reads and writes the caller's.
        arena: "static" or "caller".
    """

    prefix: str
    io_buffers: str = "arena"
    arena: str = "static"


@dataclass(frozen=True)
class CImage:
    """How an input holds images: `count` of them, one after the other."""

    count: int
    height: int
    width: int
    channels: int
    channels_last: bool

    @property
    def pixels(self) -> int:
        """Of one image."""
        return self.height * self.width

    @property
    def elems(self) -> int:
        """Of one image: pixels times channels."""
        return self.pixels * self.channels


@dataclass(frozen=True)
class CTensor:
    """A graph input or output in the public interface.

    `axes` are those of the ONNX tensor in the order of `shape`; None where they are in place.
    `image` says how a grey or RGB image lies in an input; None where none does.
    """

    index: int
    name: str
    ident: str
    dtype: DType
    shape: tuple[int, ...]
    elems: int
    bytes: int
    scale: float | None
    zero_point: int | None
    offset_bytes: int | None
    axes: tuple[int, ...] | None = None
    image: CImage | None = None

    @property
    def ctype(self) -> str:
        """Type of an element in C."""
        return C_TYPES[self.dtype]

    @property
    def mcugen_type(self) -> str:
        """The runtime's constant for it."""
        return MCUGEN_TYPES[self.dtype]

    @property
    def quantized(self) -> bool:
        """Whether its integers have one scale and zero point."""
        return self.scale is not None and self.dtype.is_integer

    @property
    def quantizable(self) -> bool:
        """Whether QuantizeLinear gives such a tensor: ONNX has no int32 there."""
        return self.quantized and self.dtype.itemsize <= 2


@dataclass(frozen=True, eq=False)
class CConstant:
    """An array in the weights file."""

    ident: str
    ctype: str
    array: Array
    origin: str


@dataclass(frozen=True)
class COutput:
    """One output of a call, for the trace hook: its address and size."""

    tensor: str
    text: str
    bytes: int


@dataclass(frozen=True)
class CCall:
    """One kernel call of the run function."""

    index: int
    comment: str
    op: str
    node: str
    function: str
    arguments: tuple[str, ...]
    outputs: tuple[COutput, ...]
    scratch_bytes: int
    guarded: bool


@dataclass(frozen=True)
class CFunction:
    """One kernel function to render: identical texts are shared between calls."""

    template: str
    signature: str
    params: Any
    base_name: str
    comment: str
    scratch_bytes: int = 0


@dataclass(frozen=True)
class CModel:
    """All that the model's templates see.

    `not_reentrant` are the titles of kernel libraries that keep addresses of one inference in
    variables of their own; `unread_inputs` are parameters that no call reads.
    """

    prefix: str
    macro: str
    name: str
    hash: str
    version: str
    libraries: tuple[str, ...]
    headers: tuple[str, ...]
    inputs: tuple[CTensor, ...]
    outputs: tuple[CTensor, ...]
    constants: tuple[CConstant, ...]
    functions: tuple[CFunction, ...]
    calls: tuple[CCall, ...]
    arena_bytes: int
    arena_align: int
    io_caller: bool
    arena_caller: bool
    macs: int
    not_reentrant: tuple[str, ...] = ()
    unread_inputs: tuple[str, ...] = ()
    stack_bytes: int | None = None
    stack_source: str = ""

    @property
    def takes_arena(self) -> bool:
        """Whether the functions have a leading `void *arena`."""
        return self.arena_caller and self.arena_bytes > 0

    @property
    def arena_bytes_expression(self) -> str:
        """The arena as an array of bytes, inside the public functions."""
        return "((uint8_t *)arena)" if self.takes_arena else f"{self.prefix}_arena"

    @property
    def _pointers(self) -> tuple[str, ...]:
        ins = tuple(f"const {t.ctype} *{t.ident}" for t in self.inputs)
        return ins + tuple(f"{t.ctype} *{t.ident}" for t in self.outputs)

    @property
    def run_parameters(self) -> str:
        """Parameters of NAME_run."""
        arena = ("void *arena",) if self.takes_arena else ()
        return ", ".join(arena + self._pointers) or "void"

    @property
    def run_pointers(self) -> tuple[str, ...]:
        """Names of NAME_run's buffer parameters."""
        return tuple(t.ident for t in self.inputs + self.outputs)

    @property
    def run_any_arguments(self) -> tuple[str, ...]:
        """Arguments with which the type-erased run calls NAME_run."""
        arena = ("arena",) if self.takes_arena else ()
        ins = tuple(f"(const {t.ctype} *)inputs[{t.index}]" for t in self.inputs)
        return arena + ins + tuple(f"({t.ctype} *)outputs[{t.index}]" for t in self.outputs)

    @property
    def steps_parameters(self) -> str:
        """Parameters of the function that calls every kernel."""
        arena = ("uint8_t *arena",) if self.arena_bytes else ()
        return ", ".join(arena + (self._pointers if self.io_caller else ())) or "void"

    @property
    def steps_arguments(self) -> str:
        """Arguments of that function, inside the public functions."""
        arena = (self.arena_bytes_expression,) if self.arena_bytes else ()
        return ", ".join(arena + (self.run_pointers if self.io_caller else ()))
