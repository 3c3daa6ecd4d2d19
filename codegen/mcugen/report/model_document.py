"""A ModelReport as a Document: the page report.html of an exported project."""

from __future__ import annotations

from collections.abc import Sequence

from mcugen.compiler import Compiled
from mcugen.distance import OnnxDistance
from mcugen.memory import problem_of
from mcugen.plan.arena_blocks import ArenaBlock, arena_blocks
from mcugen.plan.problem import BEFORE
from mcugen.program import Step
from mcugen.report.arena_chart import arena_chart
from mcugen.report.document import Banner, Document, Fact, Section, Table
from mcugen.report.model_report import ModelReport, NodeRow
from mcugen.report.quantity import count, share, size
from mcugen.report.text import remarks, short_name
from mcugen.targets import Target

_NAME_CHARS = 32
"""Characters of a layer's name that leave room for its eight columns."""


def model_document(report: ModelReport, compiled: Compiled, target: Target) -> Document:
    """What report.json says of a model on a board, with the arena drawn."""
    steps = compiled.program.in_order(compiled.plan.order)
    found = remarks(report)
    sections = [
        _memory(report, target),
        *_arena(report, compiled),
        _layers(report.nodes, [_weights(compiled, step) for step in steps]),
        Section("Inputs and outputs", table=_interface(report)),
        *([Section("Remarks", tuple(found))] if found else []),
        *_distance(report.onnx),
    ]
    return Document(
        title=f"{report.prefix} on {report.board_title}",
        subtitle=f"{report.model}, {report.arithmetic} arithmetic",
        banners=(_verdict(report),),
        facts=_facts(report),
        sections=tuple(sections),
    )


def _verdict(report: ModelReport) -> Banner:
    fit = report.fit
    if fit.fits:
        left = f"RAM {fit.ram_margin_bytes:,} and flash {fit.flash_margin_bytes:,} bytes are left."
        return Banner("good", "It fits", left)
    return Banner("bad", "It does not fit", f"{'; '.join(fit.advice)}.")


def _facts(report: ModelReport) -> tuple[Fact, ...]:
    bound = report.arena_lower_bound_bytes
    stack = report.footprint.stack_bytes
    floats = sum(bool(row.float_reason) for row in report.nodes)
    in_float = f", {floats} in float all the same" if floats else ""
    code = f"code {report.footprint.code_bytes:,} ({report.footprint.flash_source})"
    return (
        Fact(
            "Arena",
            size(report.arena_bytes),
            "the lower bound is met" if report.arena_optimal else f"lower bound {bound:,}",
        ),
        Fact(
            "Stack",
            "unknown" if stack is None else size(stack),
            "no compiler for the board told it" if stack is None else "at most, one inference",
        ),
        Fact("Flash", size(report.flash_bytes), f"weights {report.weights_bytes:,}, {code}"),
        Fact("Multiply-accumulates", count(report.macs), f"{len(report.nodes)} layers{in_float}"),
    )


def _memory(report: ModelReport, target: Target) -> Section:
    """The board's two memories, part by part."""
    stack = report.footprint.stack_bytes
    beside = report.application.ram_bytes
    need = report.arena_bytes + (stack or 0) + beside
    ram = [
        ("arena", report.arena_bytes),
        ("application", beside),
        *([] if stack is None else [("stack", stack)]),
        ("left", report.fit.ram_margin_bytes),
    ]
    flash = [
        ("weights", report.weights_bytes),
        ("code", report.footprint.code_bytes),
        ("self-test", report.footprint.selftest_bytes),
        ("left", report.fit.flash_margin_bytes),
    ]
    rows: list[tuple[str, ...]] = []
    bars: list[tuple[float, ...]] = []
    for memory, parts, whole in (
        ("RAM", ram, target.ram_for(need)),
        ("flash", flash, target.flash_bytes),
    ):
        for name, value in parts:
            part = value / whole if whole else 0.0
            rows.append((memory, name, size(value), share(part)))
            bars.append(() if name == "left" else (min(part, 1.0),))
    text = "Shares are of what the board leaves to the model and its application."
    table = Table(("memory", "part", "size>", "share>"), tuple(rows), tuple(bars))
    return Section("Memory", (text,), table=table)


def _arena(report: ModelReport, compiled: Compiled) -> list[Section]:
    """The plan drawn and listed; nothing where the arena is empty."""
    if not report.arena_bytes:
        return []
    problem = problem_of(compiled.program, io_caller=compiled.model.io_caller)
    blocks = arena_blocks(problem, compiled.plan)
    layers = len(compiled.plan.order)
    bound = report.arena_lower_bound_bytes
    rows = tuple(_block_row(block, layers) for block in blocks if not block.scratch)
    table = Table(("buffer", "size>", "offset>", "layers", "in place of"), rows).without_empty()
    drawing = arena_chart(blocks, layers, report.arena_bytes, bound)
    return [Section("Arena", drawings=(drawing,), table=table)]


def _block_row(block: ArenaBlock, layers: int) -> tuple[str, ...]:
    first = "input" if block.first == BEFORE else str(block.first)
    last = "output" if block.stop > layers else str(block.stop - 1)
    lives = first if first == last else f"{first} to {last}"
    name, over = short_name(block.name), short_name(block.over)
    return (name, size(block.size), f"{block.offset:,}", lives, over)


def _weights(compiled: Compiled, step: Step) -> int:
    """Bytes of the constants that a layer reads; arrays that layers share count in each."""
    inputs = [compiled.graph[n] for n in step.inputs]
    own = sum(int(c.array.nbytes) for c in step.constants)
    return own + sum(t.nbytes for t in inputs if t.is_constant)


def _layers(nodes: Sequence[NodeRow], weights: Sequence[int]) -> Section:
    """In the order they run, the bars of their multiply-accumulates."""
    largest = max((row.macs for row in nodes), default=0) or 1
    columns = ("#", "layer", "op", "kernel", "output", "MACs>", "weights>", "scratch>")
    rows = tuple(
        (
            str(index),
            short_name(row.name, _NAME_CHARS),
            row.op,
            row.kernel if row.library == "portable" else f"{row.library}/{row.kernel}",
            row.outputs.replace(", ", "x").replace("[", " ").replace("]", ""),
            count(row.macs) if row.macs else "",
            size(weight) if weight else "",
            size(row.scratch_bytes) if row.scratch_bytes else "",
        )
        for index, (row, weight) in enumerate(zip(nodes, weights, strict=True))
    )
    bars = tuple((row.macs / largest,) for row in nodes)
    return Section("Layers", table=Table(columns, rows, bars).without_empty())


def _interface(report: ModelReport) -> Table:
    rows = [("in", t) for t in report.inputs] + [("out", t) for t in report.outputs]
    return Table(("", "tensor"), tuple(rows))


def _distance(onnx: OnnxDistance) -> list[Section]:
    """How far each output is from ONNX's."""
    if not onnx.outputs:
        return []
    rows = tuple(
        (
            name,
            f"{d.max_abs:.3g}",
            "-" if d.max_lsb is None else str(d.max_lsb),
            share(d.differing_share),
            share(d.argmax_agreement),
        )
        for name, d in onnx.outputs.items()
    )
    columns = ("output", "max |d|>", "max LSB>", "elements that differ>", "argmax agrees>")
    text = f"Compared with: {onnx.source}, over {onnx.samples} sample"
    text += "s." if onnx.samples != 1 else "."
    return [Section("Distance to ONNX", (text,), table=Table(columns, rows).without_empty())]
