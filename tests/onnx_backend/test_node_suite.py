"""The node tests of the installed onnx, run by generated C.

A test is either refused, as recorded in refused.txt, or its results are right: never wrong.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.errors import ModelError, UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.host import HostModel, same_bits
from mcugen.ops.spec import Arithmetic
from node_suite import NodeCase, all_cases, cases_of
from together import build_together, expected_by_reference

REFUSED = Path(__file__).with_name("refused.txt")

BATCHES = 24
"""C files that the whole suite makes: as few compiler runs as keep them small."""

FAST = {
    "add": "Add",
    "concat": "Concat",
    "conv": "Conv",
    "convtranspose": "ConvTranspose",
    "gemm": "Gemm",
    "hardswish": "HardSwish",
    "matmul": "MatMul",
    "pad": "Pad",
    "qlinearconv": "QLinearConv",
    "qlinearmatmul": "QLinearMatMul",
    "quantizelinear": "QuantizeLinear",
    "reducemean": "ReduceMean",
    "resize": "Resize",
    "softmax": "Softmax",
    "slice": "Slice",
}
"""Modules of the suite, and their operators, that every test run has."""


def refusal(case: NodeCase) -> str | None:
    """Why the model is refused (the first node that is), None when it is not."""
    try:
        load_model(case.model, name=case.name)
    except UnsupportedModelError as error:
        first = error.unsupported[0]
        return f"{first.op}: {first.reason}"
    except ModelError as error:
        return error.message
    return None


def compiled(case: NodeCase, arithmetic: Arithmetic) -> Compiled:
    """The test under a short name: names of tests differ beyond the length of a C prefix."""
    imported = load_model(case.model, name=f"case_{zlib.crc32(case.name.encode()):08x}")
    return compile_model(imported, CompileOptions(arithmetic=arithmetic))


def failures(cases: Sequence[NodeCase], arithmetic: Arithmetic, name: str) -> list[str]:
    """What is wrong with the results of the C, a line per test and output."""
    models = [compiled(c, arithmetic) for c in cases]
    built = build_together(models, name)
    return [
        line
        for case, model, host in zip(cases, models, built, strict=True)
        for line in _wrong(case, model, host)
    ]


def _wrong(case: NodeCase, model: Compiled, host: HostModel) -> list[str]:
    found = []
    for inputs, outputs in case.data:
        given = zip(model.graph.inputs, inputs, strict=True)
        feeds = {n: a for n, a in given if a is not None}
        got = host.run(feeds)
        reference = expected_by_reference(model, feeds)
        for name, wanted in zip(model.graph.outputs, outputs, strict=True):
            assert wanted is not None, f"{case.name}: a result that is no tensor was generated"
            if not same_bits(got[name], reference[name]).all():
                found.append(f"{case.name} {name}: not the reference's bytes")
            if (got[name].dtype, got[name].shape) != (wanted.dtype, wanted.shape):
                found.append(f"{case.name} {name}: {got[name].dtype}{got[name].shape}")
                continue
            try:
                np.testing.assert_allclose(got[name], wanted, rtol=case.rtol, atol=case.atol)
            except AssertionError as error:
                found.append(f"{case.name} {name}: {error}")
    return found


def is_quantized(case: NodeCase) -> bool:
    return any("Linear" in n.op_type or "Integer" in n.op_type for n in case.model.graph.node)


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_a_few_operators(arithmetic: Arithmetic) -> None:
    cases = [c for c in cases_of(FAST) if arithmetic is Arithmetic.ONNX or is_quantized(c)]
    taken = [c for c in cases if refusal(c) is None]
    assert len(taken) > (130 if arithmetic is Arithmetic.ONNX else 8)
    assert failures(taken, arithmetic, "few") == []


def test_a_wrong_result_would_be_found() -> None:
    case = cases_of({"add": "Add"})[0]
    ((inputs, (wanted,)),) = case.data
    assert wanted is not None
    off, typed = (replace(case, data=((inputs, (y,)),)) for y in (wanted + 1, wanted[..., :1]))
    assert failures([case], Arithmetic.ONNX, "right") == []
    assert len(failures([off], Arithmetic.ONNX, "right")) == 1
    assert len(failures([typed], Arithmetic.ONNX, "right")) == 1


@cache
def _taken() -> tuple[NodeCase, ...]:
    return tuple(c for c in all_cases() if refusal(c) is None)


@pytest.mark.zoo
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_result_is_wrong(batch: int) -> None:
    cases = _taken()[batch::BATCHES]
    assert failures(cases, Arithmetic.ONNX, f"batch{batch}") == []


@pytest.mark.zoo
def test_no_quantized_result_is_wrong_in_fixed_point() -> None:
    cases = [c for c in _taken() if is_quantized(c)]
    assert len(cases) >= 20
    assert failures(cases, Arithmetic.TFLITE, "fixed_point") == []


@pytest.mark.zoo
def test_what_is_refused_is_recorded(
    check_golden: Callable[[Path, str], None], pytestconfig: pytest.Config
) -> None:
    """One line per refused test: an operator that is lost, or won, shows here."""
    recorded = REFUSED.read_text(encoding="utf-8").partition(":")[0] if REFUSED.is_file() else ""
    suite = f"onnx {onnx.__version__}"
    if recorded not in ("", suite) and not pytestconfig.getoption("--update-golden"):
        pytest.skip(f"recorded for {recorded}, installed is {suite}")
    reasons = {c.name: refusal(c) for c in all_cases()}
    refused = {name: reason for name, reason in reasons.items() if reason is not None}
    text = f"{suite}: {len(refused)} of {len(reasons)} node tests are refused\n"
    text += "".join(f"{name}  {reason}\n" for name, reason in refused.items())
    check_golden(REFUSED, text)
