"""What operators promise about themselves to passes and memory plan, over all operator cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from casebuild import case_graph, families, family_cases
from mcugen import reference
from mcugen.ir import Array
from mcugen.lower import lower
from mcugen.ops.registry import specs
from mcugen.ops.spec import OpSpec, Site
from mcugen.passes.roles import data_inputs
from mcugen.views import find_views
from opcase import OpCase


def _cases(wanted: Callable[[OpCase, OpSpec], bool]) -> list[Any]:
    return [
        pytest.param(case, id=f"{family}-{case.op}-{case.id}")
        for family in families()
        for case in family_cases(family)
        if wanted(case, specs()[case.op])
    ]


def _can_be_permuted(case: OpCase, spec: OpSpec) -> bool:
    if spec.permute is None:
        return False
    ranks = {t.rank for t in _site(case)[1].outputs}
    return len(ranks) == 1 and ranks <= {2, 3, 4}


def _has_offsets(case: OpCase, spec: OpSpec) -> bool:
    del case
    return spec.output_offsets is not None or spec.input_offsets is not None


def _moves_something(case: OpCase, spec: OpSpec) -> bool:
    plain = getattr(case.attrs, "activation", None) is None
    return spec.moves_values and plain and all(v is None or v.size for v in case.inputs)


def _site(case: OpCase) -> tuple[OpSpec, Site]:
    graph = case_graph(case)
    node = graph.nodes[0]
    return specs()[case.op], Site(node, graph.input_tensors(node), graph.output_tensors(node))


def _run(case: OpCase) -> tuple[Array, ...]:
    graph = case_graph(case)
    feeds = {f"x{i}": v for i, v in enumerate(case.inputs) if v is not None}
    program = lower(graph)
    found = reference.run(program, {n: feeds[n] for n in graph.inputs})
    return tuple(found[n] for n in graph.outputs)


@pytest.mark.parametrize("case", _cases(_can_be_permuted))
def test_permuted_operator_gives_the_permuted_result(case: OpCase) -> None:
    spec, site = _site(case)
    assert spec.permute is not None
    rank = site.outputs[0].rank
    plain = _run(case)
    for perm in itertools.permutations(range(rank)):
        attrs = spec.permute(site, perm)
        if attrs is None:
            continue
        moved = tuple(
            _reordered(v, perm) if i in data_inputs(site.node) else v
            for i, v in enumerate(case.inputs)
        )
        turned = replace(case, attrs=attrs, inputs=moved)
        for got, wanted in zip(_run(turned), plain, strict=True):
            np.testing.assert_allclose(got, wanted.transpose(perm), rtol=1e-5, atol=1e-5)


def _reordered(value: Array | None, perm: tuple[int, ...]) -> Array | None:
    """As the layout pass does: with axes of size 1 in front, but one element broadcasts itself."""
    if value is None or (value.size == 1 and value.ndim < len(perm)):
        return value
    return value.reshape((1,) * (len(perm) - value.ndim) + value.shape).transpose(perm)


@pytest.mark.parametrize("case", _cases(_has_offsets))
def test_offsets_are_where_the_values_are(case: OpCase) -> None:
    spec, site = _site(case)
    if spec.output_offsets is not None and (offsets := spec.output_offsets(site)) is not None:
        flat = np.asarray(case.inputs[0]).reshape(-1)
        for result, offset in zip(_run(case), offsets, strict=True):
            np.testing.assert_array_equal(flat[offset : offset + result.size], result.reshape(-1))
    if spec.input_offsets is not None and (offsets := spec.input_offsets(site)) is not None:
        (result,) = _run(case)
        for value, offset in zip(case.inputs, offsets, strict=True):
            assert value is not None
            np.testing.assert_array_equal(
                result.reshape(-1)[offset : offset + value.size], value.reshape(-1)
            )


@pytest.mark.parametrize("case", _cases(_moves_something))
def test_moved_values_come_from_the_inputs(case: OpCase) -> None:
    sources = case.inputs if case.op == "Concat" else case.inputs[:1]
    known = np.concatenate([np.asarray(v).reshape(-1) for v in sources])
    for value in _run(case)[0].reshape(-1):
        assert value in known or np.isnan(value)


def test_views_cost_nothing() -> None:
    """Outermost slices and concatenations inside a model are ranges of one buffer."""
    for case_id, expected in (("rows", 1), ("columns", 0)):
        case = next(c for c in family_cases("slice") if c.id == case_id)
        spec, site = _site(case)
        assert spec.output_offsets is not None
        assert (spec.output_offsets(site) is not None) == bool(expected)
    outer = next(c for c in family_cases("concat") if c.id == "outer")
    spec, site = _site(outer)
    assert spec.input_offsets is not None
    assert spec.input_offsets(site) == (0, 6, 9)
    assert find_views(case_graph(outer))[1] == frozenset(), "inputs of a model cannot move"
