"""Tables that meet other integer operators."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph
from mcugen.ops.lookup import LookupAttrs
from mcugen.ops.qelementwise import QElementwiseAttrs
from mcugen.passes import fuse_lookup
from opcase import q

EVERY = np.arange(256, dtype=np.uint8).view(np.int8)


def _add(b: Builder, low: int = -128, high: int = 127) -> str:
    for name in ("x", "z"):
        b.with_quant(b.input(name, (2, 40), DType.INT8), q(0.1))
    attrs = QElementwiseAttrs(DType.INT8, low, high)
    return b.with_quant(b.node("QAdd", ("x", "z"), attrs, "s"), q(0.1))


def _lookup(b: Builder, x: str, table: np.ndarray, out: str, scale: float = 0.1) -> str:
    return b.with_quant(b.node("Lookup", (x,), LookupAttrs(table), out), q(scale))


def _fused(graph: Graph) -> Graph:
    after = fuse_lookup.run(graph)
    assert_same(graph, after)
    return after


def test_two_tables_are_one() -> None:
    b = Builder()
    rng = np.random.default_rng(1)
    first, second = (rng.integers(0, 256, 256).astype(np.uint8) for _ in range(2))
    b.with_quant(b.input("x", (2, 40), DType.INT8), q(0.1))
    _lookup(b, _lookup(b, "x", first, "a"), second.view(np.int8), "y")
    assert ops(_fused(b.graph("y"))) == ["Lookup"]


def test_a_clamp_narrows_the_activation() -> None:
    b = Builder()
    _lookup(b, _add(b), np.clip(EVERY, 0, 60), "y")
    after = _fused(b.graph("y"))
    assert ops(after) == ["QAdd"]
    assert (after.nodes[0].attrs.act_min, after.nodes[0].attrs.act_max) == (0, 60)


def test_a_clamp_below_everything_reachable_disappears() -> None:
    b = Builder()
    table = np.where(EVERY < -20, np.int8(99), EVERY)
    _lookup(b, _add(b, low=-10), table, "y")
    after = _fused(b.graph("y"))
    assert ops(after) == ["QAdd"]
    assert after.nodes[0].attrs.act_min == -10


def test_a_clamp_to_another_scale_stays() -> None:
    b = Builder()
    _lookup(b, _add(b), np.clip(EVERY, 0, 60), "y", scale=0.2)
    graph = b.graph("y")
    assert fuse_lookup.run(graph) is graph


def test_a_clamp_that_others_bypass_stays() -> None:
    b = Builder()
    s = _add(b)
    _lookup(b, s, np.clip(EVERY, 0, 60), "y")
    graph = b.graph("y", s)
    assert fuse_lookup.run(graph) is graph


def test_a_table_that_is_no_clamp_stays() -> None:
    b = Builder()
    _lookup(b, _add(b), np.abs(EVERY.astype(np.int16)).clip(0, 127).astype(np.int8), "y")
    graph = b.graph("y")
    assert fuse_lookup.run(graph) is graph


def test_the_same_bits_with_another_meaning_are_a_view() -> None:
    b = Builder()
    b.with_quant(b.input("x", (2, 40), DType.INT8), q(0.1))
    _lookup(b, "x", EVERY, "y", scale=0.8)
    after = _fused(b.graph("y"))
    assert ops(after) == ["Reshape"]
    assert after["y"].quant == q(0.8)
