"""The check finds what is wrong: other bytes in the C, other meaning in the program."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from mcugen import api, check, lower
from mcugen.compiler import Compiled
from mcugen.report.check_text import check_json, print_check
from mcugen.samples import Sample, random_samples
from onnx_models import INT8, model, node, value


@pytest.fixture(scope="module")
def compiled(examples_dir: Path) -> Compiled:
    return api.compile(examples_dir / "digits" / "digits_int8.onnx").compiled


def test_the_example_passes(compiled: Compiled) -> None:
    result = check.check(compiled, random_samples(compiled.imported.graph, 2))
    assert result.ok
    assert result.samples == 2
    assert result.tensors_compared == 2 * (len(compiled.program.calls) + 1)


def test_a_wrong_weight_in_the_c_is_found_and_its_layer_named(compiled: Compiled) -> None:
    name = f"{compiled.model.prefix}_weights.c"
    text = compiled.files[name]
    start = text.index("int8_t")
    changed = re.sub(r"= \{\n    (-?\d+),", _other_weight, text[start:], count=1)
    broken = dataclasses.replace(compiled, files={**compiled.files, name: text[:start] + changed})
    result = check.check(broken, random_samples(compiled.imported.graph, 1))
    assert not result.bit_exact and not result.ok
    assert result.mismatching[0] in {t for s in compiled.program.calls for t in s.outputs}
    assert result.first_mismatch is not None and "expected" in result.first_mismatch
    assert f"tensor '{result.mismatching[0]}'" in result.first_mismatch
    assert result.semantics_ok, "the program itself is right"


def _other_weight(match: re.Match[str]) -> str:
    value = int(match.group(1))
    return match.group(0).replace(
        f"    {value},", f"    {value - 100 if value > 0 else value + 100},"
    )


def test_a_wrong_program_is_found_though_its_c_agrees(compiled: Compiled) -> None:
    graph = compiled.graph
    conv = next(n for n in graph.nodes if n.op == "QConv")
    weights = graph[conv.inputs[1]]
    assert weights.data is not None
    other = weights.replace(data=np.roll(weights.data, 1, axis=0))
    tensors = {**graph.tensors, weights.name: other}
    program = lower.lower(graph.rebuild(graph.nodes, tensors))
    from mcugen.oracle import NodeDistance, measure
    from mcugen.semantics import run

    sample = random_samples(compiled.imported.graph, 1)[0]
    found: dict[str, NodeDistance] = {}
    onnx_graph = compiled.imported.graph
    measure(program, onnx_graph, run(onnx_graph, sample.inputs), found)
    beyond = [d for d in found.values() if not d.within(compiled.options.arithmetic)]
    assert [d.node for d in beyond] == [conv.name], "only the changed node is named"


def test_a_tie_shows_through_a_clamp_between_two_equal_scales(tmp_path: Path) -> None:
    """x / 2 for odd x is a tie: tflite rounds it away from zero, ONNX to even."""
    nodes = [
        node("DequantizeLinear", ["x", "one", "zero"], ["xf"]),
        node("DequantizeLinear", ["w", "half", "zero"], ["wf"]),
        node("Conv", ["xf", "wf"], ["c"]),
        node("QuantizeLinear", ["c", "one", "zero"], ["cq"]),
        node("DequantizeLinear", ["cq", "one", "zero"], ["cf"]),
        node("Relu", ["cf"], ["r"]),
        node("QuantizeLinear", ["r", "one", "zero"], ["y"]),
    ]
    constants = {"w": np.ones((1, 1, 1), np.int8), "half": np.array(0.5, np.float32)}
    constants |= {"one": np.array(1, np.float32), "zero": np.array(0, np.int8)}
    proto = model(nodes, [value("x", [1, 1, 8], INT8)], ["y"], constants)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    halved = api.compile(tmp_path / "m.onnx").compiled
    x = np.array([[[1, 2, 3, 5, 7, 9, 13, -3]]], np.int8)
    result = check.check(halved, [Sample({"x": x})], use_ort=False)
    distance = next(d for d in result.distances.values() if d.differing)
    assert [s.node.op for s in halved.program.calls] == ["QConv"]
    assert (distance.differing, distance.ties) == (4, 4), "1, 5, 9 and 13: 0.5, 2.5, 4.5 and 6.5"
    assert result.ok


def test_a_tie_shows_before_an_operator_that_moves_it(tmp_path: Path) -> None:
    """Flatten comes before the rounding in the ONNX graph, and behind it in the program."""
    nodes = [
        node("DequantizeLinear", ["x", "one", "zero"], ["xf"]),
        node("DequantizeLinear", ["w", "half", "zero"], ["wf"]),
        node("Conv", ["xf", "wf"], ["c"]),
        node("Flatten", ["c"], ["r"]),
        node("QuantizeLinear", ["r", "one", "zero"], ["y"]),
    ]
    constants = {"w": np.ones((1, 1, 1), np.int8), "half": np.array(0.5, np.float32)}
    constants |= {"one": np.array(1, np.float32), "zero": np.array(0, np.int8)}
    proto = model(nodes, [value("x", [1, 1, 8], INT8)], ["y"], constants)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    halved = api.compile(tmp_path / "m.onnx").compiled
    x = np.array([[[1, 2, 3, 5, 7, 9, 13, -3]]], np.int8)
    result = check.check(halved, [Sample({"x": x})], use_ort=False)
    distance = next(d for d in result.distances.values() if d.differing)
    assert (distance.differing, distance.ties) == (5, 5), "1, 5, 9, 13 and, upward, -3"
    assert result.ok


@pytest.mark.parametrize("arithmetic", ["tflite", "onnx"])
def test_rounding_a_float_bias_is_no_fault(tmp_path: Path, arithmetic: str) -> None:
    """The bias 0.5 of a sum in units of 0.8 becomes 1 unit: up to 0.3 LSB of the output."""
    nodes = [
        node("DequantizeLinear", ["x", "one", "zero"], ["xf"]),
        node("DequantizeLinear", ["w", "unit", "zero"], ["wf"]),
        node("Conv", ["xf", "wf", "b"], ["c"]),
        node("QuantizeLinear", ["c", "one", "zero"], ["y"]),
    ]
    constants = {"w": np.ones((1, 1, 1), np.int8), "b": np.full(1, 0.5, np.float32)}
    constants |= {"one": np.array(1, np.float32), "unit": np.array(0.8, np.float32)}
    constants |= {"zero": np.array(0, np.int8)}
    proto = model(nodes, [value("x", [1, 1, 8], INT8)], ["y"], constants)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    compiled = api.compile(tmp_path / "m.onnx", arithmetic=arithmetic).compiled
    x = np.array([[[0, 1, 2, 3, 4, 5, 6, 7]]], np.int8)
    result = check.check(compiled, [Sample({"x": x})], use_ort=False)
    (distance,) = (d for d in result.distances.values() if d.differing)
    assert distance.differing > 1
    assert result.ok


def test_what_was_assumed_about_the_model_is_said(tmp_path: Path) -> None:
    """A leading dimension, and a shape of an output that the file has wrong."""
    proto = model([node("Relu", ["x"], ["y"])], [value("x", ["N", 4])], [value("y", [2, 5])])
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    result = api.compile(tmp_path / "m.onnx").check(samples=1)
    said = [
        'batch dimension "N" of input x set to 1',
        "output y is declared [2,5], its shape is [1,4]",
    ]
    assert check_json(result)["notices"] == said
    console = Console(file=io.StringIO(), soft_wrap=True)
    print_check(result, console)
    assert console.file.getvalue().splitlines()[-2:] == [f"- {text}" for text in said]
