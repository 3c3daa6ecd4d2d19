"""Graph -> Program: parameters computed, kernels chosen, scratch sized, views found."""

from __future__ import annotations

from collections.abc import Sequence

from mcugen.errors import InternalError
from mcugen.ir import Graph, Node
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Core, Kernel, OpSpec, Site
from mcugen.program import Place, Program, Step
from mcugen.views import find_views


def lower(
    graph: Graph,
    *,
    arithmetic: Arithmetic = Arithmetic.TFLITE,
    libraries: Sequence[str] = ("portable",),
    core: Core = Core.PLAIN,
) -> Program:
    """Lower every node; a kernel is taken only from `libraries`, in the op's order.

    `core` decides how much working memory vendor kernels are given.

    Raises:
        InternalError: an op that passes should have replaced is still there.
    """
    places, views = find_views(graph)
    steps = []
    for node in graph.nodes:
        spec = specs()[node.op]
        if node.name in views:
            steps.append(_view_step(graph, node, spec, arithmetic))
        else:
            steps.append(_call_step(graph, node, spec, arithmetic, libraries, core, places))
    return Program(graph, tuple(steps), places, arithmetic)


def _lowered(
    graph: Graph, node: Node, spec: OpSpec, arithmetic: Arithmetic
) -> tuple[object, tuple[str, ...]]:
    if spec.lower is None:
        raise InternalError(f"{node.op} '{node.name}' reached lowering and has no kernel")
    site = Site(node, graph.input_tensors(node), graph.output_tensors(node), arithmetic)
    lowered = spec.lower(site)
    return lowered.params, lowered.inputs


def _view_step(graph: Graph, node: Node, spec: OpSpec, arithmetic: Arithmetic) -> Step:
    params, inputs = _lowered(graph, node, spec, arithmetic)
    return Step(node, params, inputs, None)


def _call_step(
    graph: Graph,
    node: Node,
    spec: OpSpec,
    arithmetic: Arithmetic,
    libraries: Sequence[str],
    core: Core,
    places: dict[str, Place],
) -> Step:
    params, inputs = _lowered(graph, node, spec, arithmetic)
    offsets = [places[n].offset_bytes for n in (*inputs, *node.outputs) if n in places]
    kernel, refused = choose_kernel(spec, params, libraries, offsets)
    pairs = tuple((node.outputs[o], inputs[i]) for o, i in spec.inplace(params))
    return Step(
        node,
        params,
        inputs,
        kernel,
        kernel.constants(params),
        kernel.scratch(params, core),
        spec.macs(params),
        tuple(p for p in pairs if _may_share(graph, places, *p)),
        refused,
    )


def choose_kernel(
    spec: OpSpec, params: object, libraries: Sequence[str], offsets: Sequence[int] = ()
) -> tuple[Kernel, tuple[tuple[str, str], ...]]:
    """The first kernel of `libraries` that accepts, and why other libraries refused.

    A library may have several kernels for an op: a refusal is told only where none took it.

    Args:
        spec: the operator.
        params: what the kernels get.
        libraries: allowed kernel libraries.
        offsets: bytes from an aligned address to each activation that is read or written.

    Raises:
        InternalError: none accepts; the portable kernel must accept all the op allows.
    """
    refused: list[tuple[str, str]] = []
    for kernel in spec.kernels:
        if kernel.library not in libraries:
            continue
        reason = kernel.accepts(params) or _misaligned(kernel, offsets)
        if reason is None:
            return kernel, tuple(dict.fromkeys(r for r in refused if r[0] != kernel.library))
        refused.append((kernel.library, reason))
    raise InternalError(f"no kernel of {', '.join(libraries)} takes {spec.name}: {refused}")


def _misaligned(kernel: Kernel, offsets: Sequence[int]) -> str | None:
    wrong = [o for o in offsets if o % kernel.align_bytes]
    if not wrong:
        return None
    return f"tensors must lie at multiples of {kernel.align_bytes} bytes, got {wrong[0]} in a view"


def _may_share(graph: Graph, places: dict[str, Place], output: str, source: str) -> bool:
    """Whether both tensors are activations that fill buffers of equal size alone."""
    if graph[source].is_constant:
        return False
    out, src = places[output], places[source]
    return (
        out.offset_bytes == src.offset_bytes == 0
        and graph[out.buffer].nbytes == graph[output].nbytes
        and graph[src.buffer].nbytes == graph[source].nbytes
    )
