"""Every operator case: the C equals the NumPy reference in every byte, in both arithmetics."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from casebuild import BuiltCase, build_family, case_feeds, case_graph, families, family_cases
from mcugen import lower, reference
from mcugen.host import HostModel, same_bits
from mcugen.ir import Array
from mcugen.kernels import PORTABLE, VENDOR_LIBRARIES
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.toolchain import STRICT_WARNINGS
from opcase import OpCase
from vendor_sources import vendor_folder

_STRICT = ("-O2", *STRICT_WARNINGS, "-Wno-unused-function")


@cache
def _family(
    family: str,
    arithmetic: Arithmetic,
    library: str = PORTABLE,
    vendor_dir: Path | None = None,
):
    libraries = tuple(dict.fromkeys((library, PORTABLE)))
    return build_family(
        family, arithmetic, flags=_STRICT, libraries=libraries, vendor_dir=vendor_dir
    )


def _params():
    for family in families():
        for case in family_cases(family):
            yield pytest.param(family, case, id=f"{family}-{case.id}")


@pytest.mark.parametrize("arithmetic", list(Arithmetic), ids=lambda a: a.value)
@pytest.mark.parametrize(("family", "case"), list(_params()))
def test_c_equals_reference(family: str, case: OpCase, arithmetic: Arithmetic) -> None:
    _assert_equal(case, *_family(family, arithmetic)[case.id])


def _vendor_params():
    for library in VENDOR_LIBRARIES:
        for family in families():
            for case in family_cases(family):
                if any(k.library == library for k in specs()[case.op].kernels):
                    yield pytest.param(library, family, case, id=f"{library}-{family}-{case.id}")


@pytest.mark.parametrize(("library", "family", "case"), list(_vendor_params()))
def test_c_with_vendor_calls_equals_reference(library: str, family: str, case: OpCase) -> None:
    """Through the stand-ins, and the library itself where it is at hand."""
    for folder in {None, vendor_folder(library)}:
        built, model = _family(family, Arithmetic.TFLITE, library, folder)[case.id]
        model.require_planned_scratch()
        _assert_equal(case, built, model)


def _assert_equal(case: OpCase, built: BuiltCase, model: HostModel) -> None:
    expected = reference.run(built.program, case_feeds(case))
    outputs = model.run(case_feeds(case))
    assert outputs, case.id
    for name, got in outputs.items():
        wrong = ~same_bits(got, expected[name])
        assert not wrong.any(), _first(wrong, got, expected[name])


@pytest.mark.parametrize(("family", "case"), list(_params()))
def test_reference_follows_onnx(family: str, case: OpCase) -> None:
    del family
    spec = specs()[case.op]
    if spec.semantics is None:
        pytest.skip("an integer operator: its arithmetic is defined by the reference")
    with np.errstate(all="ignore"):
        wanted = spec.semantics(case.attrs, case.inputs)
    program_graph = case_graph(case)
    got = reference.run(lower.lower(program_graph), case_feeds(case))
    for name, value in zip(program_graph.outputs, wanted, strict=True):
        _assert_close(got[name], value, 0.0 if case.exact_semantics else case.rtol)


def _assert_close(got: Array, wanted: Array, rtol: float) -> None:
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    if got.dtype.kind != "f" or rtol == 0.0:
        wrong = ~same_bits(got, np.ascontiguousarray(wanted).reshape(wanted.shape))
        assert not wrong.any(), _first(wrong, got, wanted)
        return
    finite = wanted[np.isfinite(wanted)]
    top = float(np.max(np.abs(finite))) if finite.size else 0.0
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * 0.1 * top, equal_nan=True)


def _first(wrong: Array, got: Array, wanted: Array) -> str:
    where = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    count = f"{int(wrong.sum())} of {wrong.size} differ"
    return f"{count}, first at {where}: {got[where]!r} != {wanted[where]!r}"
