"""Every conversion case, imported and run by the meaning of its operators."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from conversion_cases import CASES, Case
from mcugen import semantics
from mcugen.errors import UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.ir import Array
from onnx_models import model, node, value


def assert_matches(case: Case, values: dict[str, Array]) -> None:
    for name, wanted in case.expected.items():
        got = values[name]
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, rtol=case.rtol, atol=case.rtol)
        else:
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_the_imported_graph_means_the_model(case: Case) -> None:
    imported = load_model(case.model, dims=case.dims)
    assert imported.graph.inputs == tuple(case.feeds)
    assert imported.graph.outputs == tuple(case.expected)
    assert_matches(case, semantics.run(imported.graph, case.feeds))


@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_the_cases_are_valid_onnx(case: Case) -> None:
    onnx.checker.check_model(case.model)


def test_ids_are_unique() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids))


def test_onnx_runtime_agrees() -> None:
    ort = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
    for case in CASES:
        session = ort.InferenceSession(case.model.SerializeToString())
        results = session.run(list(case.expected), dict(case.feeds))
        assert_matches(case, dict(zip(case.expected, results, strict=True)))


def test_a_loop_is_refused_by_name() -> None:
    """O44: Loop with a constant trip count."""
    body = helper.make_graph(
        [node("Identity", ["c"], ["d"]), node("Add", ["s", "s"], ["t"])],
        "body",
        [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL), value("s", [2])],
        [value("d", [], TensorProto.BOOL), value("t", [2])],
    )
    loop = node("Loop", ["n", "go", "x"], ["y"], name="again", body=body)
    proto = model([loop], [value("x", [2])], ["y"], {"n": np.array(3), "go": np.array(True)})
    with pytest.raises(UnsupportedModelError) as caught:
        load_model(proto)
    (found,) = caught.value.unsupported
    assert (found.op, found.name) == ("Loop", "again")
