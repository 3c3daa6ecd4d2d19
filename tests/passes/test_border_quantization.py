"""Conversions at the border left to the caller."""

from __future__ import annotations

from graphs import Builder, body, ops, run
from mcugen.ir import DType
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import attach_quantization, border_quantization, integer, lookup_tables
from opcase import q, random_f32


def _sigmoid() -> Builder:
    b = Builder()
    f = b.dequantize(b.quantize(b.input("x", (2, 3)), "xq", 0.1, 3), "xf", 0.1, 3)
    s = b.quantize(b.node("Sigmoid", (f,), UnaryAttrs(), "s"), "yq", 1 / 256, -128)
    b.dequantize(s, "y", 1 / 256, -128)
    return b


def test_integers_go_in_and_out() -> None:
    before = lookup_tables.run(attach_quantization.run(_sigmoid().graph("y")))
    after = border_quantization.run(before)
    assert ops(after) == ["Lookup"]
    assert (after.inputs, after.outputs) == (("x",), ("y",))
    assert (after["x"].dtype, after["x"].quant) == (DType.INT8, q(0.1, 3))
    assert (after["y"].dtype, after["y"].quant) == (DType.INT8, q(1 / 256, -128))
    old = run(before, {"x": random_f32(1, 2, 3)})
    new = run(after, {"x": old["xq"]})
    assert (new["y"] == old["yq"]).all()


def test_the_sources_are_the_integers() -> None:
    after = border_quantization.run(
        lookup_tables.run(attach_quantization.run(_sigmoid().graph("y")))
    )
    assert [after[n].source.name for n in ("x", "y")] == ["xq", "yq"]


def test_a_float_reader_keeps_the_input() -> None:
    b = _sigmoid()
    b.node("Relu", ("x",), UnaryAttrs(), "z")
    after = border_quantization.run(attach_quantization.run(b.graph("y", "z")))
    assert after["x"].dtype is DType.FLOAT32


def test_integers_that_are_an_output_too_keep_both() -> None:
    graph = lookup_tables.run(attach_quantization.run(_sigmoid().graph("y", "yq", "xq")))
    assert border_quantization.run(graph) is graph


def test_a_float_model_stays() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "y")
    graph = integer.run(b.graph("y"))
    assert border_quantization.run(graph) is graph
    assert body(graph) == ["y = Relu(x) {}"]
