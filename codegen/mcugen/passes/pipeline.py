"""The passes, in the one order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mcugen.errors import InternalError
from mcugen.ir import Graph
from mcugen.ops.spec import Arithmetic
from mcugen.passes import (
    attach_quantization,
    border_quantization,
    common_subexpressions,
    constant_dequantize,
    dead_channels,
    dead_code,
    dequantize_biases,
    drop_input_transpose,
    fold_affine,
    fold_constants,
    fully_connected,
    fuse_activation,
    fuse_lookup,
    fuse_pad,
    identities,
    integer,
    layout,
    lookup_tables,
    materialise_outputs,
    move_conversions,
    signed_integers,
)
from mcugen.passes.float_report import float_nodes
from mcugen.verify import verify

Pass = Callable[[Graph], Graph]


@dataclass(frozen=True)
class PassOptions:
    """What the user may choose about the graph.

    Attributes:
        arithmetic: integer arithmetic the model will be lowered for.
        io_quantized: drop QuantizeLinear / DequantizeLinear at the graph's inputs and outputs.
        io_layout: "onnx" keeps the order of axes of inputs and outputs, "nhwc" takes and gives
            images channels last.
    """

    arithmetic: Arithmetic = Arithmetic.TFLITE
    io_quantized: bool = False
    io_layout: str = "onnx"


@dataclass(frozen=True)
class PassResult:
    """The graph after all passes.

    Attributes:
        graph: ready for lowering.
        float_nodes: node name -> why it runs in float in an otherwise quantized model.
    """

    graph: Graph
    float_nodes: Mapping[str, str]


PREPARE: tuple[Pass, ...] = (
    dead_code.run,  # nothing below looks at what no output depends on
    identities.run,  # what does nothing would hide patterns from every later pass
    fold_constants.run,  # float weights beside their QuantizeLinear become integers
    attach_quantization.run,  # needed by whatever looks behind a DequantizeLinear
    constant_dequantize.run,  # Transpose and Reshape of weights move behind the integers
    fold_constants.run,  # ... which are then moved for good
    common_subexpressions.run,  # one reader instead of two lets later passes fuse
    fully_connected.run,  # constant weights of matrix products, with a place for a bias
    fold_affine.run,  # BatchNormalization, biases and scales into the weights before them
    constant_dequantize.run,  # biases that were reshaped meanwhile
    fold_constants.run,  # ... for good
    fuse_pad.run,  # while a Pad of zeros and its reader are both float
)
"""The model in the operators that have kernels, still all float between its conversions."""

QUANTIZE: tuple[Pass, ...] = (
    attach_quantization.run,  # folding made new integers
    move_conversions.run,  # so that operators and their conversions are neighbours
    fold_constants.run,  # constants that are quantized now
    common_subexpressions.run,  # one input that several readers quantize alike
    lookup_tables.run,  # before integer: a table is exact, and cheaper than any operator
    integer.run,
    fuse_lookup.run,  # clamps between integers go into the integer operators
    dequantize_biases.run,  # of layers that stayed in float
)
"""Integers stay integers."""

ARRANGE: tuple[Pass, ...] = (
    fuse_activation.run,  # after integer, which reads clamps wherever they are
    signed_integers.run,  # once all integers are there
    fuse_pad.run,  # pads that are integers now
    layout.run,  # last: operators before it need to know one order of axes only
)
"""Operators in the form that has kernels."""

FINISH: tuple[Pass, ...] = (
    identities.run,  # Reshapes that the layout pass put together
    fold_constants.run,  # and reshaped constants
    common_subexpressions.run,  # Transposes and Reshapes of one tensor
    dead_code.run,
)
"""What the others left behind."""


def run_passes(graph: Graph, options: PassOptions | None = None) -> PassResult:
    """Run all passes; the graph is verified before the first and after every one.

    Raises:
        InternalError: a pass broke an invariant or failed; it is named, with those before it.
    """
    options = options or PassOptions()
    verify(graph, "import")
    done: list[str] = []
    graph = _run(graph, (*PREPARE, *QUANTIZE), done)
    if options.io_quantized:
        graph = _run(graph, (border_quantization.run,), done)
    reasons = float_nodes(graph)
    graph = _run(graph, ARRANGE, done)
    # after the layout pass: channels are the last axis everywhere
    live = partial(dead_channels.run, arithmetic=options.arithmetic)
    graph = _run(graph, (live, *FINISH), done)
    if options.io_layout == "nhwc":
        graph = _run(graph, (drop_input_transpose.run, identities.run), done)
    graph = _run(graph, (materialise_outputs.run,), done)
    names = {node.name for node in graph.nodes}
    return PassResult(graph, {n: why for n, why in reasons.items() if n in names})


def _run(graph: Graph, passes: tuple[Pass, ...], done: list[str]) -> Graph:
    """Run some passes, noting their names."""
    for run in passes:
        name = getattr(run, "func", run).__module__.rpartition(".")[2]
        try:
            changed = run(graph)
            if changed is not graph:
                verify(changed, f"pass {name}")
        except InternalError as error:
            raise InternalError(f"{error.message} (after {', '.join(done) or 'import'})") from error
        except Exception as error:
            raise InternalError(
                f"pass {name} failed on '{graph.name}': {type(error).__name__}: {error} "
                f"(after {', '.join(done) or 'import'})"
            ) from error
        graph = changed
        done.append(name)
    return graph
