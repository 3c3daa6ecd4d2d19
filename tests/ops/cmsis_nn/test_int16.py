"""Operators without weights on int16: what CMSIS-NN is given, and what it is not."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from casebuild import case_graph
from mcugen.ir import DType, QuantParams
from mcugen.lower import lower
from mcugen.ops.spec import Core
from opcase import OpCase, q
from vendor_cases import (
    average,
    binary,
    check_taken_or_refused,
    ints,
    matmul,
    maximum,
    step_of,
)

INT16 = DType.INT16
WHOLE = {"out_dtype": INT16, "act_min": -(2**15), "act_max": 2**15 - 1}


def pair(op: str, *shapes: tuple[int, ...], out: float = 0.1, **changes: Any) -> OpCase:
    case = binary(op, *(ints(*s, dtype=INT16) for s in shapes), q(out), **changes)
    return dataclasses.replace(
        case, attrs=dataclasses.replace(case.attrs, **WHOLE), quant={0: q(0.05), 1: q(0.02)}
    )


def average16(x: tuple[int, ...], out: QuantParams | None = None, **window: Any) -> OpCase:
    case = average(x, out or q(0.05), **window)
    return dataclasses.replace(
        case,
        attrs=dataclasses.replace(case.attrs, **WHOLE),
        inputs=(ints(*x, dtype=INT16),),
        quant={0: q(0.05)},
    )


def product(k: int, out: float = 1.0, dtype: DType = INT16) -> OpCase:
    case = matmul(ints(2, 3, k, dtype=dtype), ints(2, k, 5, dtype=INT16))
    return dataclasses.replace(
        case,
        attrs=dataclasses.replace(case.attrs, **WHOLE),
        quant={0: q(0.001), 1: q(0.001)},
        out_quant=q(out),
    )


ADD = pair("QAdd", (2, 3), (2, 3))
AVERAGE = average16((2, 5, 5, 3), pads=(1, 1, 0, 0))
CASES: dict[str, tuple[OpCase, str | None]] = {
    "add taken": (ADD, None),
    "add broadcast": (pair("QAdd", (2, 3), (3,)), "does not broadcast"),
    "subtract": (pair("QAdd", (2, 3), (2, 3), subtract=True), "has no subtraction"),
    "add into a tiny scale": (pair("QAdd", (2, 3), (2, 3), out=1e-6), "shift must be to the right"),
    "mul taken": (pair("QMul", (2, 3), (2, 3)), None),
    "mul into a tiny scale": (
        pair("QMul", (2, 3), (2, 3), out=1e-4),
        "sums must fit 32 bits after the left shift",
    ),
    "matmul taken": (product(4), None),
    "matmul into a tiny scale": (product(4, 4e-6), "results must fit 31 bits, got up to 1.07e+09"),
    "matmul into a tinier scale": (
        product(4, 1e-9),
        "multipliers must be below 128, got a shift of 10",
    ),
    "matmul of long rows": (product(32768, 100.0), "dimensions must be at most 32767"),
    "max taken": (maximum((1, 5, 5, 3), INT16, pads=(1, 1, 0, 0)), None),
    "max dilated": (maximum((1, 5, 5, 3), INT16, dilations=(1, 2)), "dilations must be 1, got 1x2"),
    "average taken": (AVERAGE, None),
    "average of another scale": (average16((1, 5, 5, 3), q(0.06)), "must be quantized alike"),
    "average beside the image": (
        average16((1, 3, 3, 1), kernel=(1, 1), pads=(1, 0, 0, 0)),
        "every window must touch the input",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_taken_or_refused(name: str) -> None:
    check_taken_or_refused(name, *CASES[name], "cmsis_nn")


@pytest.mark.parametrize(
    ("case", "suffix"),
    [(ADD, "s16"), (AVERAGE, "s16"), (maximum((1, 5, 5, 3), INT16), "s16"),
     (binary("QMul", ints(2, 3), ints(2, 3)), "s8"), (maximum((1, 5, 5, 3)), "s8")],
)  # fmt: skip
def test_which_function(case: OpCase, suffix: str) -> None:
    step = step_of(case, "cmsis_nn")
    assert step.kernel is not None and step.kernel.form(step.params).suffix == suffix


def test_an_addition_has_15_bits_of_headroom() -> None:
    step = step_of(ADD, "cmsis_nn")
    assert step.kernel is not None and step.kernel.form(step.params).left_shift == 15


def test_a_maximum_is_clamped_to_its_own_type() -> None:
    step = step_of(maximum((1, 5, 5, 3), INT16), "cmsis_nn")
    assert step.kernel is not None
    form = step.kernel.form(step.params)
    assert (form.act_min, form.act_max) == (-(2**15), 2**15 - 1)


def test_working_memory_of_an_average() -> None:
    """Not recorded: by hand from the library's rule, sums of one pixel with DSP."""
    step = step_of(AVERAGE, "cmsis_nn")
    assert step.kernel is not None
    sizes = [step.kernel.scratch(step.params, c) for c in (Core.PLAIN, Core.DSP, Core.MVE)]
    assert sizes == [0, 3 * 4, 0]


def test_working_memory_of_a_product_of_matrices() -> None:
    """The second one, transposed."""
    step = step_of(CASES["matmul taken"][0], "cmsis_nn")
    assert step.kernel is not None
    assert {step.kernel.scratch(step.params, c) for c in Core} == {4 * 5 * 2}


P, D = Core.PLAIN, Core.DSP


@pytest.mark.parametrize("core", [P, D, Core.MVE])
@pytest.mark.parametrize(
    ("case", "slower"),
    [(ADD, (P, D)), (CASES["mul taken"][0], (P, D)), (CASES["max taken"][0], (P, D)),
     (AVERAGE, (P,)), (CASES["matmul taken"][0], (P,))],
    ids=["add", "mul", "max", "average", "matmul"],
)  # fmt: skip
def test_what_is_slower_is_left_out(case: OpCase, slower: tuple[Core, ...], core: Core) -> None:
    libraries = ("cmsis_nn", "portable")
    (step,) = lower(case_graph(case), libraries=libraries, core=core, fastest=True).calls
    assert step.kernel is not None
    assert step.kernel.library == ("portable" if core in slower else "cmsis_nn")
