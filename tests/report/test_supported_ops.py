"""The table of operators, and that the committed document is the one that the code gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from mcugen.ops.registry import importers
from mcugen.ops.spec import Expansion, ImportContext, Inputs, Kernel, OpSpec
from mcugen.report import supported_ops
from mcugen.report.supported_ops import FLOAT_ONLY, INTEGER_AS_IS, INTEGER_FORM

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "SUPPORTED_OPS.md"


def test_the_document_is_up_to_date(check_golden: Callable[[Path, str], None]) -> None:
    check_golden(DOCUMENT, supported_ops.markdown())


def test_every_importer_has_a_row() -> None:
    assert [row.onnx for row in supported_ops.rows()] == sorted(
        importers(), key=lambda key: ("::" in key, key)
    )


def imported(ctx: ImportContext) -> None:
    del ctx


def even_axes(attrs: Any, inputs: Inputs) -> str | None:
    """axes must be even,
    or | absent"""
    del attrs, inputs
    return None


def spec(name: str, **fields: Any) -> OpSpec:
    return OpSpec(name, infer=lambda attrs, inputs: (), **fields)


@pytest.fixture
def a_few_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        "Conv": spec(
            "Conv",
            onnx={"Conv": imported},
            kernels=(Kernel("a", "esp_nn"), Kernel("b", "esp_nn"), Kernel("c")),
            constraints=(even_axes,),
            quantize=lambda site: None,
        ),
        "Move": spec("Move", onnx={"org::Move": imported, "Flip": imported}, moves_values=True),
        "Sin": spec("Sin", onnx={"Sin": imported}),
        "Inner": spec("Inner"),
    }
    monkeypatch.setattr(supported_ops, "specs", lambda: MappingProxyType(found))
    turns = {"Turn": Expansion(imported, "Move", ("only right",))}
    monkeypatch.setattr(supported_ops, "expansions", lambda: MappingProxyType(turns))


@pytest.mark.usefixtures("a_few_ops")
def test_rows_hold_what_the_specs_say() -> None:
    rows = supported_ops.rows()
    assert [row.onnx for row in rows] == ["Conv", "Flip", "Sin", "Turn", "org::Move"]
    assert [row.internal for row in rows] == ["Conv", "Move", "Sin", "Move", "Move"]
    assert [row.integer for row in rows] == [
        INTEGER_FORM,
        INTEGER_AS_IS,
        FLOAT_ONLY,
        INTEGER_AS_IS,
        INTEGER_AS_IS,
    ]
    assert rows[0].libraries == ("esp_nn", "portable")
    assert rows[0].rules == ("axes must be even, or | absent",)


@pytest.mark.usefixtures("a_few_ops")
def test_the_lines_of_the_terminal_are_aligned() -> None:
    assert supported_ops.operators() == [
        "Conv       integer kernel  esp_nn, portable  axes must be even, or | absent",
        "Flip       same kernel",
        "Sin        in float",
        "Turn       same kernel                       only right",
        "org::Move  same kernel",
    ]


@pytest.mark.usefixtures("a_few_ops")
def test_markdown_escapes_what_would_end_a_cell() -> None:
    lines = supported_ops.markdown().splitlines()
    assert (
        "| Conv | Conv | integer kernel | esp_nn, portable | axes must be even, or \\| absent |"
        in lines
    )
    assert "| Sin | Sin | in float | - |  |" in lines
