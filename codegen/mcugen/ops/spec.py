"""What an operator is: the contract between the one file of an op and everything else.

An op file builds one `OpSpec` per internal operator and lists them in its `SPECS`; an ONNX operator
that others can compute is an `Expansion` in its `EXPANSIONS`. Nothing here or in any op file knows
the ONNX package, the passes, C files or boards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Protocol

from mcugen.ir import Array, DType, Node, QuantParams, Tensor


class Arithmetic(Enum):
    """Which integer arithmetic the lowered program uses.

    TFLITE: fixed-point multiplier and shift, double rounding (TFLM, CMSIS-NN, ESP-NN).
    ONNX: float32 scale, round half to even (ONNX Runtime's quantized kernels).
    """

    TFLITE = "tflite"
    ONNX = "onnx"


class Core(Enum):
    """The kind of processor core, where a vendor kernel's working memory depends on it.

    PLAIN: no SIMD (Cortex-M0+/M3, the host); DSP: Cortex-M4/M7/M33; MVE: Cortex-M55;
    ESP32S3: Xtensa with the S3's vector instructions.
    """

    PLAIN = "plain"
    DSP = "dsp"
    MVE = "mve"
    ESP32S3 = "esp32s3"


@dataclass(frozen=True)
class TensorType:
    """Shape and element type, as inferred for an output."""

    shape: tuple[int, ...]
    dtype: DType


class Reject(Exception):  # noqa: N818 - not an error of the program: one node's verdict
    """Raised by `from_onnx` or `infer`: this node cannot be taken.

    `reason` completes `Conv '/conv1' (model.onnx): ...`: the rule, what was found, what is
    allowed. The frontend collects these and reports all nodes at once.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


SHAPES_DISAGREE = "shapes disagree where ONNX lets them not: mend a --dim, or what made the model"
"""Hint for an InvalidNode whose shapes may follow from the user's dimensions."""


class InvalidNode(Reject):
    """Like Reject, for what breaks a rule of ONNX: no list of operators would help with it."""

    def __init__(
        self,
        reason: str,
        hint: str = "the model is not valid ONNX: mend what made it; "
        "onnx.checker.check_model(FILE, full_check=True) may say more",
    ) -> None:
        super().__init__(reason, hint)


class ImportContext(Protocol):
    """One ONNX node being imported; the frontend implements it, `from_onnx` functions use it."""

    op_type: str
    domain: str
    """'' for the default ONNX domain."""
    name: str
    opset: int
    """Version of the node's own domain."""
    inputs: tuple[str, ...]
    """Tensor names, "" where absent; trailing absent ones are stripped."""
    outputs: tuple[str, ...]
    """Tensor names; "" where the model does not use an optional output."""

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute as int, float, str, tuple of those, or ndarray; `default` when absent."""

    def has(self, index: int) -> bool:
        """Whether input `index` is present."""

    def tensor(self, index: int) -> Tensor:
        """Input `index`; raises Reject when absent."""

    def const(self, index: int, what: str) -> Array:
        """The value of input `index`; raises Reject naming `what` when it is not constant."""

    def constant(self, array: Array, hint: str) -> str:
        """Add a constant tensor with a name made from `hint`; returns its name."""

    def emit(
        self,
        op: str,
        inputs: Sequence[str],
        attrs: Any,
        outputs: Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Add a node of internal operator `op`; returns its output names.

        `outputs` defaults to one fresh intermediate name when the node is an inner one of an
        expansion; pass `ctx.outputs` for the node that gives the ONNX node's results.
        Shapes are inferred by the op's `infer`; constraints are checked.
        """


FromOnnx = Callable[[ImportContext], None]

Inputs = Sequence[Tensor | None]

Constraint = Callable[[Any, Inputs], str | None]
"""(attrs, inputs) -> None or what was found. Its docstring is the rule, in the form that
completes both "<rule>, got <found>" in the error and a row of SUPPORTED_OPS.md:
`dilations must be 1x1`."""


@dataclass(frozen=True)
class Site:
    """A node together with its tensors, as an op's rules see it."""

    node: Node
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    arithmetic: Arithmetic = Arithmetic.TFLITE

    @property
    def attrs(self) -> Any:
        """The node's attributes."""
        return self.node.attrs

    def input(self, index: int) -> Tensor:
        """Input `index`, which must be present."""
        tensor = self.inputs[index]
        assert tensor is not None, f"{self.node.name}: input {index} is absent"
        return tensor

    def optional(self, index: int) -> Tensor | None:
        """Input `index`, None when absent."""
        return self.inputs[index] if index < len(self.inputs) else None


@dataclass(frozen=True)
class Lowered:
    """What a kernel gets.

    Attributes:
        params: the op's frozen Params dataclass: integers, shapes, packed arrays. The template
            sees it as `p`, `reference` gets it.
        inputs: the node's inputs that the kernel reads through pointers, in order; constants among
            them live in flash exactly as they are in the graph. Inputs that `params` has absorbed
            (packed weights, folded biases) are left out.
    """

    params: Any
    inputs: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Constant:
    """A constant array of a kernel: `static const` in the weights file, passed by pointer."""

    name: str
    array: Array


def _accepts_all(params: Any) -> str | None:
    del params
    return None


def _no_constants(params: Any) -> tuple[Constant, ...]:
    del params
    return ()


def _nowhere(params: Any) -> frozenset[Core]:
    del params
    return frozenset()


def _no_scratch(params: Any, core: Core) -> int:
    del params, core
    return 0


def _as_they_are(params: Any) -> Any:
    return params


def no_macs(params: Any) -> int:
    """MACs of an op that multiplies nothing."""
    del params
    return 0


def no_inplace(params: Any) -> tuple[tuple[int, int], ...]:
    """No output may share an input's storage."""
    del params
    return ()


def no_slack(params: Any) -> float:
    """The op rounds once."""
    del params
    return 0.0


@dataclass(frozen=True)
class Kernel:
    """One way of computing an op in C.

    Attributes:
        template: file below `templates/`, e.g. `portable/conv.c.j2`.
        library: portable, cmsis_nn or esp_nn.
        accepts: params -> None, or why this kernel must not be used.
        constants: params -> arrays in flash, in argument order (packed for this kernel).
        scratch: (params, core) -> bytes of working memory, planned in the arena.
        guarded: whether the template also defines `static int32_t {{ fn }}_scratch(void)` inside
            `#ifdef {{ trace }}`: the bytes that the library's own getter asks for. The self-test
            fails by name where that is more than was planned.
        headers: runtime or library headers that the generated C includes.
        form: params -> what the template sees as `p`: the numbers as the library takes them.
        align_bytes: of every input and output; the kernel is not taken where a view lies otherwise.
        wrong_on: cores on which the library's code is wrong: it is never taken there.
        slower_on: params -> cores on which portable C was measured faster: `--kernels auto`
            leaves it out there.

    The template also sees `scratch_bytes`, the planned working memory. It writes
    `static void {{ fn }}({{ signature }})`: inputs (`x`, or `x0, x1, ...`), outputs (`y`, or
    `y0, ...`), constants by name, and `void *scratch` when scratch is not 0.
    """

    template: str
    library: str = "portable"
    accepts: Callable[[Any], str | None] = _accepts_all
    constants: Callable[[Any], tuple[Constant, ...]] = _no_constants
    scratch: Callable[[Any, Core], int] = _no_scratch
    guarded: bool = False
    headers: tuple[str, ...] = ()
    form: Callable[[Any], Any] = _as_they_are
    align_bytes: int = 1
    wrong_on: frozenset[Core] = frozenset()
    slower_on: Callable[[Any], frozenset[Core]] = _nowhere


@dataclass(frozen=True)
class QuantSite:
    """A float node between DequantizeLinear and QuantizeLinear, for the integer pass.

    Attributes:
        node: the float node.
        inputs: per input, the integer tensor (with `quant`) that DequantizeLinear reads, or the
            float tensor itself where the input is not dequantized (a float constant, say).
        outputs: per output, the integer tensor (with `quant`) that QuantizeLinear writes.
        clamp: (low, high) in real numbers of an activation between node and QuantizeLinear.
    """

    node: Node
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    clamp: tuple[float, float]

    def input(self, index: int) -> Tensor:
        """Input `index`, which must be present."""
        tensor = self.inputs[index]
        assert tensor is not None, f"{self.node.name}: input {index} is absent"
        return tensor

    def quant(self, index: int) -> QuantParams:
        """Quantization of input `index`; raises Reject when that input is float."""
        quant = self.input(index).quant
        if quant is None:
            raise Reject(f"input {index} is not quantized")
        return quant


@dataclass(frozen=True)
class IntegerForm:
    """The integer node that stands for a float node and its conversions.

    `inputs` holds tensors; constants among them that the graph does not have yet (a bias
    quantized to int32, say) are added to it.
    """

    op: str
    attrs: Any
    inputs: tuple[Tensor | None, ...]


@dataclass(frozen=True)
class OpSpec:
    """Everything about one internal operator.

    Attributes:
        name: internal operator name.
        infer: (attrs, inputs) -> output types; raises Reject when shapes disagree.
        semantics: (attrs, arrays) -> arrays: the meaning by the ONNX specification, in NumPy, as
            accurate as is cheap (float64 accumulation). The oracle of `semantics_ok` and what
            constant folding runs. None for lowered integer ops.
        lower: Site -> Lowered; None for ops that passes must have replaced by then.
        reference: (params, arrays of Lowered.inputs) -> arrays: the definition of truth. Same
            bytes as the C in every case: fixed order, float32 steps, no FMA.
        kernels: in order of preference; the last one is portable and accepts everything.
        onnx: ONNX operator ("Conv", "com.microsoft::QLinearAdd") -> from_onnx.
        constraints: checked by the frontend after `from_onnx`, on what it emitted.
        macs: params -> multiply-accumulates.
        inplace: params -> (output, input) index pairs that may share storage: element i of the
            output is written only after every input element at the same or a lower byte address
            that is still needed has been read.
        output_offsets: Site -> element offset of each output inside input 0 when every output is a
            contiguous range of it (Reshape: (0,); Split of the outermost axis), else None. Such a
            node becomes a view where storage allows and costs nothing.
        input_offsets: Site -> element offset of each input inside output 0 when every input is a
            contiguous range of it (Concat of the outermost axis), else None.
        moves_values: the outputs hold values of the first input only, unchanged: the op runs on
            integers as it runs on floats (Transpose, Slice, MaxPool ...). For Concat all inputs.
        permute: (site, perm) -> attrs with which the op, fed transpose(input, perm) for every data
            input, gives transpose(output, perm); None when it cannot. For the layout pass.
        channels_last: attrs -> attrs of the [N, ..., C] form of an op that wants its channels last.
        rounding_slack: params -> how far (in LSB of the output, per channel or one for all) from a
            rounding tie the double rounding of `tflite` may still round the other way.
        quantize: QuantSite -> IntegerForm; raises Reject with the reason when there is none.
    """

    name: str
    infer: Callable[[Any, Inputs], tuple[TensorType, ...]]
    semantics: Callable[[Any, Sequence[Array | None]], tuple[Array, ...]] | None = None
    lower: Callable[[Site], Lowered] | None = None
    reference: Callable[[Any, Sequence[Array]], tuple[Array, ...]] | None = None
    kernels: tuple[Kernel, ...] = ()
    onnx: Mapping[str, FromOnnx] = field(default_factory=lambda: MappingProxyType({}))
    constraints: tuple[Constraint, ...] = ()
    macs: Callable[[Any], int] = no_macs
    inplace: Callable[[Any], tuple[tuple[int, int], ...]] = no_inplace
    output_offsets: Callable[[Site], tuple[int, ...] | None] | None = None
    input_offsets: Callable[[Site], tuple[int, ...] | None] | None = None
    moves_values: bool = False
    permute: Callable[[Site, tuple[int, ...]], Any | None] | None = None
    channels_last: Callable[[Any], Any] | None = None
    rounding_slack: Callable[[Any], Array | float] = no_slack
    quantize: Callable[[QuantSite], IntegerForm] | None = None


@dataclass(frozen=True)
class Expansion:
    """An ONNX operator that is imported as nodes of other operators and has no kernel of its own.

    Attributes:
        from_onnx: emits the nodes.
        into: the internal operator that does most of the work.
        rules: what a node must obey, for the table of operators; `from_onnx` and the constraints
            of what it emits check it.
    """

    from_onnx: FromOnnx
    into: str
    rules: tuple[str, ...] = ()
