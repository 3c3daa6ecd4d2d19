"""What a user wants to know of a generated model, as one value with a fixed JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcugen.application import Application, application
from mcugen.compiler import Compiled
from mcugen.distance import OnnxDistance
from mcugen.errors import Unsupported
from mcugen.kernels import PORTABLE
from mcugen.memory import problem_of
from mcugen.plan.arena_map import arena_map
from mcugen.program import Step
from mcugen.report.onnx_text import onnx_json
from mcugen.targets import PSRAM, Target
from mcugen.vendor import libraries_used

SCHEMA = 1


@dataclass(frozen=True)
class NodeRow:
    """One executed node.

    Attributes:
        name: its ONNX origin, the names joined by " + ".
        op: lowered operator.
        kernel: template that was taken.
        library: portable, cmsis_nn or esp_nn.
        refused: library -> reason.
        macs: multiply-accumulates.
        scratch_bytes: working memory in the arena.
        outputs: types, as text.
        float_reason: why it runs in float in a quantized model; "" otherwise.
    """

    name: str
    op: str
    kernel: str
    library: str
    refused: Mapping[str, str]
    macs: int
    scratch_bytes: int
    outputs: str
    float_reason: str


@dataclass(frozen=True)
class Footprint:
    """Sizes that need a compiler or an estimate, in bytes.

    Attributes:
        code_bytes: the model's code.
        flash_source: "measured" (by a compiler for the board's core) or "estimated".
        stack_bytes: bound of one inference's stack, None where unknown.
        selftest_bytes: embedded inputs, outputs and checksums.
    """

    code_bytes: int
    flash_source: str
    stack_bytes: int | None
    selftest_bytes: int


@dataclass(frozen=True)
class Fit:
    """The verdict for a board.

    Attributes:
        fits: whether RAM and flash suffice.
        ram_margin_bytes: RAM of the board left over; negative when it does not fit.
        flash_margin_bytes: flash left over.
        advice: what is largest and what would help; empty when it fits.
    """

    fits: bool
    ram_margin_bytes: int
    flash_margin_bytes: int
    advice: tuple[str, ...]


@dataclass(frozen=True)
class ModelReport:
    """Everything the terminal, REPORT.md and report.json show."""

    model: str
    prefix: str
    board: str
    board_title: str
    arithmetic: str
    macs: int
    arena_bytes: int
    arena_lower_bound_bytes: int
    arena_optimal: bool
    weights_bytes: int
    flash_bytes: int
    footprint: Footprint
    application: Application
    fit: Fit
    nodes: tuple[NodeRow, ...]
    arena_map: str
    notices: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    onnx: OnnxDistance = field(default_factory=OnnxDistance)

    def to_json(self) -> dict[str, Any]:
        """The fixed keys of `export --json` and `inspect --json`."""
        return {
            "schema": SCHEMA,
            "model": self.model,
            "board": self.board,
            "arithmetic": self.arithmetic,
            "macs": self.macs,
            "arena_bytes": self.arena_bytes,
            "arena_lower_bound_bytes": self.arena_lower_bound_bytes,
            "arena_optimal": self.arena_optimal,
            "state_bytes": 0,
            "weights_bytes": self.weights_bytes,
            "flash_bytes": self.flash_bytes,
            "flash_source": self.footprint.flash_source,
            "stack_bytes": self.footprint.stack_bytes,
            "selftest_bytes": self.footprint.selftest_bytes,
            "application_bytes": self.application.ram_bytes,
            "fits": self.fit.fits,
            "ram_margin_bytes": self.fit.ram_margin_bytes,
            "flash_margin_bytes": self.fit.flash_margin_bytes,
            "nodes": [_row_json(row) for row in self.nodes],
            "unsupported": [],
            "onnx_source": self.onnx.source,
            "onnx": onnx_json(self.onnx),
            "notices": list(self.notices),
        }


def unsupported_json(model: str, board: str, found: Sequence[Unsupported]) -> dict[str, Any]:
    """The JSON of a model that cannot be generated: what is unsupported, sizes unknown."""
    sizes = ("macs", "arena_bytes", "arena_lower_bound_bytes", "arena_optimal", "state_bytes")
    more = ("weights_bytes", "flash_bytes", "flash_source", "stack_bytes", "selftest_bytes")
    last = ("application_bytes",)
    return {
        "schema": SCHEMA,
        "model": model,
        "board": board,
        "arithmetic": None,
        **dict.fromkeys((*sizes, *more, *last)),
        "fits": False,
        "nodes": [],
        "unsupported": [
            {"name": u.name, "op": u.op, "reason": u.reason, "hint": u.hint} for u in found
        ],
    }


def _row_json(row: NodeRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "op": row.op,
        "kernel": row.kernel,
        "library": row.library,
        "refused": dict(row.refused),
        "macs": row.macs,
        "scratch_bytes": row.scratch_bytes,
        "float_reason": row.float_reason or None,
    }


def weights_bytes(compiled: Compiled) -> int:
    """Bytes of all constant arrays in flash."""
    return sum(int(c.array.nbytes) for c in compiled.model.constants)


def build_report(compiled: Compiled, target: Target, footprint: Footprint) -> ModelReport:
    """The report of a compiled model on a board."""
    plan, graph = compiled.plan, compiled.graph
    weights = weights_bytes(compiled)
    flash = weights + footprint.code_bytes
    beside = application(compiled.model, target, footprint.stack_bytes or 0)
    return ModelReport(
        model=compiled.imported.path,
        prefix=compiled.model.prefix,
        board=target.name,
        board_title=target.title,
        arithmetic=compiled.options.arithmetic.value,
        macs=compiled.program.macs,
        arena_bytes=plan.arena_bytes,
        arena_lower_bound_bytes=plan.lower_bound_bytes,
        arena_optimal=plan.optimal,
        weights_bytes=weights,
        flash_bytes=flash,
        footprint=footprint,
        application=beside,
        fit=verdict(compiled, target, footprint, beside, flash),
        nodes=tuple(_row(compiled, s) for s in compiled.program.in_order(plan.order)),
        arena_map=arena_map(problem_of(compiled.program, io_caller=compiled.model.io_caller), plan),
        notices=(
            *compiled.imported.notices,
            *_placement(target, beside),
            *_caveats(compiled, footprint),
        ),
        inputs=tuple(graph[n].to_text() for n in graph.inputs),
        outputs=tuple(graph[n].to_text() for n in graph.outputs),
    )


def _row(compiled: Compiled, step: Step) -> NodeRow:
    assert step.kernel is not None
    node = step.node
    outputs = [compiled.graph[o] for o in step.outputs]
    return NodeRow(
        name=node.title,
        op=node.op,
        kernel=step.kernel.template.removesuffix(".c.j2").rsplit("/", 1)[-1],
        library=step.kernel.library,
        refused=dict(step.refused),
        macs=step.macs,
        scratch_bytes=step.scratch_bytes,
        outputs=", ".join(f"{t.dtype.value}{list(t.shape)}" for t in outputs),
        float_reason=compiled.float_nodes.get(node.name, ""),
    )


def verdict(
    compiled: Compiled, target: Target, footprint: Footprint, beside: Application, flash: int
) -> Fit:
    """Whether arena, stack, application, weights, code and self-test fit the board."""
    ram_need = compiled.plan.arena_bytes + (footprint.stack_bytes or 0) + beside.ram_bytes
    flash_need = flash + footprint.selftest_bytes
    ram = target.ram_for(ram_need) - ram_need
    free = target.flash_bytes - flash_need
    advice = []
    if ram < 0:
        advice += _ram_advice(compiled, target, ram_need)
    if free < 0:
        advice.append(
            f"flash: {flash_need:,} bytes needed, {target.flash_bytes:,} usable on {target.title}; "
            f"weights are {weights_bytes(compiled):,} bytes: int8 quantization would quarter "
            "float weights"
        )
    return Fit(ram >= 0 and free >= 0, ram, free, tuple(advice))


def _placement(target: Target, beside: Application) -> tuple[str, ...]:
    found = []
    if beside.arena_section:
        why = f"does not fit the {target.ram_bytes:,} bytes of internal RAM and"
        if target.arena_memory == PSRAM:
            why = f"is told by --arena-memory {PSRAM} where to be, and"
        found.append(f"the arena {why} lies in external RAM, which is several times slower")
    if not beside.has_buffer:
        found.append(
            f"the {beside.buffer_bytes:,} bytes that `db load` would fill do not fit beside the "
            "model: the firmware application is built without (MCUGEN_APP_BUFFER=0)"
        )
    return tuple(found)


def _caveats(compiled: Compiled, footprint: Footprint) -> tuple[str, ...]:
    """What is to be known of the kernel library, and its stack where the whole is unknown."""
    found = []
    for use in libraries_used(compiled):
        library = use.library
        if library.caveat:
            found.append(f"{library.pin}: {library.caveat}")
        if footprint.stack_bytes is None:
            stack = library.stack_bytes(use.functions)
            found.append(f"{library.title}'s functions take up to {stack:,} bytes of stack")
    return tuple(found)


def _ram_advice(compiled: Compiled, target: Target, need: int) -> list[str]:
    graph = compiled.graph
    steps = compiled.program.calls

    def load(step: Step) -> int:
        names = {n for n in (*step.inputs, *step.outputs) if not graph[n].is_constant}
        return sum(graph[n].nbytes for n in names) + step.scratch_bytes

    largest = max(steps, key=load)
    name = largest.node.title
    floats = any(t.dtype.is_float and not t.is_constant for t in graph.tensors.values())
    help_text = "a smaller input resolution"
    if floats:
        help_text = "int8 quantization (a quarter of float activations) or " + help_text
    what = "tensors"
    if largest.scratch_bytes:
        what += f" and working memory ({largest.scratch_bytes:,} bytes of it)"
        if largest.kernel is not None and largest.kernel.library != PORTABLE:
            help_text = f"--kernels portable or {help_text}"
    return [
        f"RAM: {need:,} bytes needed, {target.ram_for(need):,} usable on {target.title}; largest "
        f"is {largest.node.op} '{name}', {load(largest):,} bytes of {what}; {help_text} would help"
    ]
