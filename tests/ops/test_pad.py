"""Pad: modes, negative pads, opsets, its integer form, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.pad import PadAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import QuantSite, Reject
from opcase import q, q_axis, random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 3, 4)
INF = (-math.inf, math.inf)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
@pytest.mark.parametrize("pads", [(1, 0, 0, 0), (0, 2, 1, 3), (2, 1, 1, 1), (0, 0, 0, 0)])
def test_meaning(mode: str, pads: tuple[int, ...]) -> None:
    value = np.array(2.5, np.float32)
    assert_as_ort("Pad", (X, ints(*pads), value), constant=(1, 2), mode=mode)


def test_wrap() -> None:
    y = meaning("Pad", (X, ints(1, 0, 2, 1)), constant=(1,), opset=19, mode="wrap")
    np.testing.assert_array_equal(y, np.pad(X, ((1, 2), (0, 1)), mode="wrap"))


@pytest.mark.parametrize("pads", [(-1, 1, 0, -2), (0, -1, -2, -1), (-1, 0, 2, 0)])
def test_negative_pads_cut_off(pads: tuple[int, ...]) -> None:
    assert_as_ort("Pad", (X, ints(*pads)), constant=(1,))


def test_attributes_before_opset_11() -> None:
    y = meaning("Pad", (X,), opset=10, pads=[1, 0, 0, 2], value=7.0)
    np.testing.assert_array_equal(y, np.pad(X, ((1, 0), (0, 2)), constant_values=7))


def test_axes_since_opset_18() -> None:
    inputs = (X, ints(2, 1), None, ints(-1))
    y = meaning("Pad", inputs, constant=(1, 3), opset=18)
    np.testing.assert_array_equal(y, np.pad(X, ((0, 0), (2, 1))))


def test_value_is_a_number_of_the_input_type() -> None:
    x = np.arange(3, dtype=np.int64)
    value = np.array(-(2**62), np.int64)
    graph = imported("Pad", (x, ints(1, 0), value), constant=(1, 2))
    assert graph.nodes[0].attrs == PadAttrs((1, 0), "constant", -(2**62))


@pytest.mark.parametrize(
    ("pads", "reason"),
    [
        (ints(1, 1), "pads must be 4 numbers, got 2"),
        (ints(-2, 0, -2, 0), "negative pads must leave an axis, got -2 and -2"),
    ],
)
def test_wrong_pads_are_refused(pads: Array, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Pad", (X, pads), constant=(1,))


def test_unknown_mode_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="mode must be one of constant"):
        imported("Pad", (X, ints(0, 0, 0, 0)), constant=(1,), mode="mirror")


def test_reflecting_an_empty_axis_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="must not be empty"):
        imported(
            "Pad", (np.zeros((0, 2), np.float32), ints(1, 0, 0, 0)), constant=(1,), mode="edge"
        )


def _quant_site(attrs: PadAttrs, **changes: object) -> QuantSite:
    x = Tensor("x", (3,), DType.INT8, q(0.5, -3))
    y = Tensor("y", (5,), DType.INT8, q(0.5, -3)).replace(**changes)
    return QuantSite(Node("Pad", "n", ("x",), ("y",), attrs), (x,), (y,), INF)


@pytest.mark.parametrize(("value", "stored"), [(0.0, -3), (1.0, -1), (0.25, -3), (1e9, 127)])
def test_integer_form_quantizes_the_value(value: float, stored: int) -> None:
    rule = specs()["Pad"].quantize
    assert rule is not None
    form = rule(_quant_site(PadAttrs((1, 1), "constant", value)))
    assert form.attrs == PadAttrs((1, 1), "constant", stored)


@pytest.mark.parametrize(
    "changes",
    [{"quant": q(0.25, -3)}, {"dtype": DType.UINT8}, {"quant": None}],
)
def test_integer_form_needs_one_quantization(changes: dict[str, object]) -> None:
    rule = specs()["Pad"].quantize
    assert rule is not None
    with pytest.raises(Reject, match="same quantization"):
        rule(_quant_site(PadAttrs((1, 1)), **changes))


def test_integer_form_is_per_tensor() -> None:
    rule = specs()["Pad"].quantize
    assert rule is not None
    quant = q_axis(np.ones(3, np.float32), 0)
    x = Tensor("x", (3,), DType.INT8, quant)
    site = QuantSite(Node("Pad", "n", ("x",), ("y",), PadAttrs((0, 0))), (x,), (x,), INF)
    with pytest.raises(Reject, match="per tensor"):
        rule(site)


def test_integer_form_has_no_activation() -> None:
    rule = specs()["Pad"].quantize
    assert rule is not None
    site = _quant_site(PadAttrs((1, 1)))
    with pytest.raises(Reject, match="no activation"):
        rule(QuantSite(site.node, site.inputs, site.outputs, (0.0, math.inf)))
