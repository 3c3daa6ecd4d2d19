"""The whole way from an imported model to its C text, as one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from mcugen import __version__, memory, render, view
from mcugen.c_model import CModel, EmitOptions
from mcugen.frontend import Imported
from mcugen.ir import Graph
from mcugen.lower import lower
from mcugen.names import model_prefix
from mcugen.ops.spec import Arithmetic, Core
from mcugen.passes.pipeline import PassOptions, run_passes
from mcugen.plan.problem import MemoryPlan
from mcugen.program import Program


@dataclass(frozen=True)
class CompileOptions:
    """What the user may choose about the generated C.

    Attributes:
        name: prefix of every C name; None makes one from the model's file name.
        arithmetic: integer arithmetic.
        libraries: kernel libraries to take from.
        core: kind of processor, for the working memory of vendor kernels.
        fastest: leave out vendor kernels that were measured slower than ours on that core.
        io: "float" keeps the model's interface, "quantized" strips Quantize/Dequantize at it.
        io_layout: "onnx", or "nhwc" to take and give images channels last where that saves
            transposing them.
        io_buffers: "arena" or "caller".
        arena: "static" or "caller".
    """

    name: str | None = None
    arithmetic: Arithmetic = Arithmetic.TFLITE
    libraries: tuple[str, ...] = ("portable",)
    core: Core = Core.PLAIN
    fastest: bool = False
    io: str = "float"
    io_layout: str = "onnx"
    io_buffers: str = "arena"
    arena: str = "static"


@dataclass(frozen=True)
class Compiled:
    """A model after every stage.

    Attributes:
        imported: the unoptimised ONNX graph, its hash and the importer's notices.
        graph: after all passes.
        program: lowered.
        plan: the memory plan, validated.
        model: what the templates saw.
        files: file name -> text of the model library.
        options: as asked for.
        float_nodes: node name -> why it runs in float in an otherwise quantized model.
    """

    imported: Imported
    graph: Graph
    program: Program
    plan: MemoryPlan
    model: CModel
    files: Mapping[str, str]
    options: CompileOptions
    float_nodes: Mapping[str, str] = field(default_factory=dict)


def with_stack(compiled: Compiled, stack_bytes: int | None, source: str) -> Compiled:
    """The same model with the stack bound written into its header; as it was where unknown.

    Args:
        compiled: the model.
        stack_bytes: bound of one inference's stack, None where unknown.
        source: who says so: the compiler and the core.
    """
    if stack_bytes is None:
        return compiled
    model = dataclasses.replace(compiled.model, stack_bytes=stack_bytes, stack_source=source)
    return dataclasses.replace(compiled, model=model, files=render.render(model))


def compile_model(imported: Imported, options: CompileOptions | None = None) -> Compiled:
    """Run passes, lowering, planning and rendering.

    Raises:
        InternalError: a stage broke an invariant.
    """
    options = options or CompileOptions()
    passed = run_passes(
        imported.graph,
        PassOptions(
            arithmetic=options.arithmetic,
            io_quantized=options.io == "quantized",
            io_layout=options.io_layout,
        ),
    )
    program = lower(
        passed.graph,
        arithmetic=options.arithmetic,
        libraries=options.libraries,
        core=options.core,
        fastest=options.fastest,
        io_caller=options.io_buffers == "caller",
    )
    plan = memory.plan_memory(program, io_caller=options.io_buffers == "caller")
    prefix = model_prefix(options.name or imported.graph.name)
    model = view.build(
        program,
        plan,
        EmitOptions(prefix, options.io_buffers, options.arena),
        model_hash=imported.sha256,
        version=__version__,
    )
    return Compiled(
        imported,
        passed.graph,
        program,
        plan,
        model,
        render.render(model),
        options,
        passed.float_nodes,
    )
