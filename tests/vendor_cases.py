"""Single nodes for vendors' kernels, to be taken or refused: harmless scales, one thing changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from casebuild import case_graph
from mcugen.ir import Array, DType, QuantParams
from mcugen.kernels import PORTABLE
from mcugen.lower import lower
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qconv import QConvAttrs
from mcugen.ops.qconv_transpose import QConvTransposeAttrs
from mcugen.ops.qelementwise import QElementwiseAttrs
from mcugen.ops.qmatmul_rules import QFullyConnectedAttrs
from mcugen.ops.qpool import QPoolAttrs
from mcugen.ops.qsoftmax import QSoftmaxAttrs
from mcugen.ops.spec import Arithmetic, Core
from mcugen.program import Step
from opcase import OpCase, q, random_int

INT8, UINT8 = DType.INT8, DType.UINT8
WHOLE = (INT8, -128, 127)
_PLAIN = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1)}


def ints(*shape: int, dtype: DType = INT8) -> Array:
    return random_int(1, dtype, *shape)


def weighted(op: str, attrs: Any, x: Array, w: Array, **changes: Any) -> OpCase:
    """x by w with a bias per output channel, all scales harmless."""
    outputs = w.shape[1] * attrs.groups if op == "QConvTranspose" else w.shape[0]
    settings: dict[str, Any] = {
        "bias": np.zeros(outputs, np.int32),
        "w_quant": q(0.01),
        "x_quant": q(0.05, 3),
        "y_quant": q(1.0, 4),
    } | changes
    return OpCase(
        "case",
        op,
        attrs,
        (x, w, settings["bias"]),
        constant=(1, 2),
        quant={0: settings["x_quant"], 1: settings["w_quant"], 2: q(0.0005)},
        out_quant=settings["y_quant"],
    )


def conv(x: tuple[int, ...], w: tuple[int, ...], **changes: Any) -> OpCase:
    window = _PLAIN | {k: changes.pop(k) for k in (*_PLAIN, "groups") if k in changes}
    attrs = QConvAttrs(**{"groups": 1, **window}, out_dtype=INT8, act_min=-128, act_max=127,
                       channels_last=True)  # fmt: skip
    dtype = changes.pop("dtype", INT8)
    data = changes.pop("weights", ints(*w))
    return weighted("QConv", attrs, ints(*x, dtype=dtype), data, **changes)


def transposed(x: tuple[int, ...], w: tuple[int, ...], **window: Any) -> OpCase:
    full = {**_PLAIN, "groups": 1, "output_padding": (0, 0), **window}
    attrs = QConvTransposeAttrs(**full, out_dtype=INT8, act_min=-128, act_max=127,
                                channels_last=True)  # fmt: skip
    return weighted("QConvTranspose", attrs, ints(*x), ints(*w))


def fully(units: int, inner: int, **changes: Any) -> OpCase:
    weights = changes.pop("weights", ints(units, inner))
    attrs = QFullyConnectedAttrs(*WHOLE)
    return weighted("QFullyConnected", attrs, ints(2, inner), weights, **changes)


def average(x: tuple[int, ...], out: QuantParams | None = None, **window: Any) -> OpCase:
    base = {"kernel": (2, 2), **_PLAIN, "ceil_mode": False, "count_include_pad": False, **window}
    attrs = QPoolAttrs(**base, out_dtype=INT8, act_min=-128, act_max=127, channels_last=True)
    quant = q(0.05, 3)
    return OpCase("case", "QAveragePool", attrs, (ints(*x),), quant={0: quant},
                  out_quant=out or quant)  # fmt: skip


def maximum(x: tuple[int, ...], dtype: DType = INT8, **window: Any) -> OpCase:
    attrs = PoolAttrs(**{"kernel": (2, 2), **_PLAIN, **window}, channels_last=True)
    return OpCase("case", "MaxPool", attrs, (ints(*x, dtype=dtype),))


def binary(op: str, a: Array, b: Array, out: QuantParams | None = None, **changes: Any) -> OpCase:
    attrs = QElementwiseAttrs(*WHOLE, **changes)
    return OpCase("case", op, attrs, (a, b), quant={0: q(0.05, 3), 1: q(0.02, -7)},
                  out_quant=out or q(0.1))  # fmt: skip


def softmax(*shape: int, axis: int = -1, scale: float = 0.1, out: QuantParams | None = None,
            dtype: DType = INT8) -> OpCase:  # fmt: skip
    wide = out is not None and int(out.zero_point) < -128
    attrs = QSoftmaxAttrs(axis % len(shape), DType.INT16 if wide else INT8)
    x = ints(*shape, dtype=dtype)
    return OpCase("case", "QSoftmax", attrs, (x,), quant={0: q(scale)},
                  out_quant=out or q(1 / 256, -128))  # fmt: skip


def curve(op: str, scale: float = 2.0**-12) -> OpCase:
    """Sigmoid or tanh of int16."""
    x = ints(3, 5, dtype=DType.INT16)
    return OpCase("case", op, NoAttrs(), (x,), quant={0: q(scale)}, out_quant=q(2.0**-15))


def matmul(a: Array, b: Array) -> OpCase:
    attrs = QFullyConnectedAttrs(*WHOLE)
    return OpCase("case", "QMatMul", attrs, (a, b), quant={0: q(0.05, 3), 1: q(0.02, 1)},
                  out_quant=q(1.0))  # fmt: skip


def plain(op: str, attrs: Any, *arrays: Array) -> OpCase:
    """An operator that is not quantized."""
    return OpCase("case", op, attrs, arrays)


def step_of(
    case: OpCase,
    library: str,
    arithmetic: Arithmetic = Arithmetic.TFLITE,
    core: Core = Core.PLAIN,
) -> Step:
    """The lowered node where the library's kernels come first."""
    libraries = (library, PORTABLE)
    (step,) = lower(case_graph(case), arithmetic=arithmetic, libraries=libraries, core=core).calls
    return step


def check_taken_or_refused(name: str, case: OpCase, reason: str | None, library: str) -> None:
    """The library takes the node, which the name says, or portable C does for this reason."""
    step = step_of(case, library)
    assert step.kernel is not None
    if reason is None:
        assert (step.kernel.library, step.refused) == (library, ())
        assert name.endswith("taken")
    else:
        assert step.kernel.library == PORTABLE
        ((refusing, told),) = step.refused
        assert refusing == library and reason in told
