"""All passes together: on generated graphs, their order, and what they say when one fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import Builder, random_inputs
from mcugen import reference, semantics
from mcugen.errors import InternalError
from mcugen.ir import Graph
from mcugen.lower import lower
from mcugen.ops.spec import Arithmetic
from mcugen.ops.unary import UnaryAttrs
from mcugen.oracle import NodeDistance, measure, onnx_value
from mcugen.passes import pipeline
from mcugen.passes.pipeline import PassOptions, run_passes
from random_models import graphs


def _assert_sound(before: Graph, options: PassOptions, times: int = 1) -> None:
    """Every node of the lowered program is within its bound of the model."""
    after = before
    for _ in range(times):
        after = run_passes(after, options).graph
    assert len(set(after.outputs)) == len(before.outputs)
    assert all(after.producer(o) is not None for o in after.outputs)
    program = lower(after, arithmetic=options.arithmetic)
    values = semantics.run(before, random_inputs(before))
    feeds = {n: onnx_value(after[n], values) for n in after.inputs}
    reference.run(program, {n: v for n, v in feeds.items() if v is not None})
    found: dict[str, NodeDistance] = {}
    measure(program, before, values, found)
    assert [d for d in found.values() if not d.within(options.arithmetic)] == []


@given(graphs(), st.booleans(), st.sampled_from(("onnx", "nhwc")))
@settings(max_examples=60, deadline=None)
def test_generated_graphs_keep_their_meaning(graph: Graph, quantized: bool, layout: str) -> None:
    options = PassOptions(Arithmetic.ONNX, io_quantized=quantized, io_layout=layout)
    _assert_sound(graph, options)


@given(graphs())
@settings(max_examples=20, deadline=None)
def test_running_the_passes_twice_is_as_sound(graph: Graph) -> None:
    _assert_sound(graph, PassOptions(Arithmetic.ONNX), times=2)


def _relu() -> Graph:
    b = Builder()
    b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "y")
    return b.graph("y")


def test_a_failing_pass_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(graph: Graph) -> Graph:
        raise KeyError("nothing")

    run.__module__ = "mcugen.passes.broken"
    monkeypatch.setattr(pipeline, "PREPARE", (*pipeline.PREPARE[:2], run))
    with pytest.raises(InternalError, match=r"pass broken failed on 'g': KeyError.*dead_code"):
        run_passes(_relu())


def test_a_pass_that_breaks_an_invariant_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(graph: Graph) -> Graph:
        return graph.rebuild((), outputs=("x",), inputs=())

    run.__module__ = "mcugen.passes.broken"
    monkeypatch.setattr(pipeline, "PREPARE", (run,))
    with pytest.raises(InternalError, match=r"wrong after pass broken: .*\(after import\)"):
        run_passes(_relu())


def test_every_pass_is_in_the_list() -> None:
    """Each module with a `run` is imported by pipeline.py."""
    folder = Path(pipeline.__file__).parent
    passes = {p.stem for p in folder.glob("*.py") if "\ndef run(graph: Graph" in p.read_text()}
    assert passes == {name for name in passes if hasattr(pipeline, name)}
    assert len(passes) >= 15
