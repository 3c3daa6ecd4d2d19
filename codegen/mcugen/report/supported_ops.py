"""The supported ONNX operators as a table, read from the registry: `mcugen ops` and the docs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcugen.ops.registry import expansions, specs
from mcugen.ops.spec import OpSpec

INTEGER_FORM = "integer kernel"
INTEGER_AS_IS = "same kernel"
FLOAT_ONLY = "in float"

_HEAD = """# Supported operators

Written from the operator registry; `pytest --update-golden tests/report` rewrites it.

- **Internal operator**: what the ONNX operator becomes, wholly or in the main.
- **In a QDQ model**, between DequantizeLinear and QuantizeLinear:
  `{form}`: computed on integers by a kernel of its own;
  `{as_is}`: it only moves values, so that its kernel takes integers as they are;
  `{float_only}`: computed in float32 between explicit conversions.
- **Kernel libraries**: those with a kernel for the operator or its integer form; what each node
  got, and why a library refused it, stands in the report of an export.
- **Rules**: what a node must obey. One that does not is refused with the rule and what was found.

| ONNX operator | Internal operator | In a QDQ model | Kernel libraries | Rules |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class OpRow:
    """One ONNX operator.

    Attributes:
        onnx: `Conv`, or `com.microsoft::QGemm` outside the default domain.
        internal: the internal operator that it becomes, wholly or in the main.
        integer: INTEGER_FORM, INTEGER_AS_IS or FLOAT_ONLY.
        libraries: kernel libraries of the operator and of its integer form.
        rules: the constraints' docstrings, or the expansion's own.
    """

    onnx: str
    internal: str
    integer: str
    libraries: tuple[str, ...]
    rules: tuple[str, ...]


def rows() -> tuple[OpRow, ...]:
    """All ONNX operators: the default domain first, then by name."""
    found = [_row(onnx, spec) for spec in specs().values() for onnx in spec.onnx]
    for onnx, expansion in expansions().items():
        found.append(replace(_row(onnx, specs()[expansion.into]), rules=expansion.rules))
    return tuple(sorted(found, key=lambda row: ("::" in row.onnx, row.onnx)))


_INTEGER_FORMS = {"ReduceMean": "QMean", "Gemm": "QFullyConnected"}
"""Integer forms that are not named after the operator; Sub's is an addition, for ours alone."""


def _row(onnx: str, spec: OpSpec) -> OpRow:
    rules = tuple(" ".join((c.__doc__ or "").split()) for c in spec.constraints)
    integer = specs().get(_INTEGER_FORMS.get(spec.name, f"Q{spec.name}"))
    kernels = (*(integer.kernels if integer else ()), *spec.kernels)
    libraries = tuple(sorted({kernel.library for kernel in kernels}))
    return OpRow(onnx, spec.name, _integer(spec), libraries, rules)


def _integer(spec: OpSpec) -> str:
    if spec.quantize is not None:
        return INTEGER_FORM
    return INTEGER_AS_IS if spec.moves_values else FLOAT_ONLY


def operators() -> list[str]:
    """Lines for a terminal: operator, how it runs in a QDQ model, libraries, rules."""
    table = [(row.onnx, row.integer, ", ".join(row.libraries)) for row in rows()]
    widths = [max((len(line[i]) for line in table), default=0) for i in range(3)]
    return [
        "  ".join((*map(str.ljust, line, widths), "; ".join(row.rules))).rstrip()
        for line, row in zip(table, rows(), strict=True)
    ]


def markdown() -> str:
    """The text of docs/SUPPORTED_OPS.md."""
    head = _HEAD.format(form=INTEGER_FORM, as_is=INTEGER_AS_IS, float_only=FLOAT_ONLY)
    return head + "".join(_line(row) for row in rows())


def _line(row: OpRow) -> str:
    libraries = ", ".join(row.libraries) or "-"
    cells = (row.onnx, row.internal, row.integer, libraries, "; ".join(row.rules))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
