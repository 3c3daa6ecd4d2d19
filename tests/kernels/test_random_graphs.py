"""Random int8 graphs: portable C, C with vendor calls and the reference agree in every byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from mcugen import host, lower, memory, reference, render, view
from mcugen.ir import Array, Graph
from mcugen.kernels import PORTABLE, VENDOR_LIBRARIES
from mcugen.program import Program
from mcugen.vendor import LibraryUse, read_vendor
from random_int8 import int8_graphs
from vendor_sources import vendor_folder

_SETTINGS = settings(
    max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _built(program: Program, library: str, folder: Path | None) -> tuple[host.HostModel, list]:
    plan = memory.plan_memory(program)
    options = view.EmitOptions(f"random_{library}")
    model = view.build(program, plan, options, model_hash="00", version="test")
    files = render.render(model)
    vendor = None
    if folder is not None and library in model.libraries:
        entry = VENDOR_LIBRARIES[library]
        vendor = read_vendor([LibraryUse(entry, entry.functions_in(files.values()))], folder)
    built = host.build_library(
        files, [options.prefix], flags=("-O1",), libraries=model.libraries, vendor=vendor
    )
    steps = list(program.in_order(plan.order))
    return host.HostModel(built, options.prefix, program.graph), steps


def _check(graph: Graph, x: Array, library: str, folder: Path | None) -> None:
    program = lower.lower(graph, libraries=tuple(dict.fromkeys((library, PORTABLE))))
    expected = reference.run(program, {"x": x})
    model, steps = _built(program, library, folder)
    model.require_planned_scratch()
    outputs, traced = model.trace({"x": x}, steps, graph)
    for name, got in {**traced, **outputs}.items():
        message = f"{library}: {name}\n{graph.to_text()}"
        np.testing.assert_array_equal(got, expected[name], message)


@pytest.mark.parametrize("library", VENDOR_LIBRARIES)
@_SETTINGS
@given(case=int8_graphs())
def test_all_agree(library: str, case: tuple[Graph, Array]) -> None:
    _check(*case, PORTABLE, None)
    _check(*case, library, None)


@pytest.mark.parametrize("library", VENDOR_LIBRARIES)
@_SETTINGS
@given(case=int8_graphs())
def test_the_vendors_own_sources_agree(library: str, case: tuple[Graph, Array]) -> None:
    folder = vendor_folder(library)
    if folder is None:
        pytest.skip(f"MCUGEN_{library.upper()} is not set: its sources are no part of the project")
    _check(*case, library, folder)
