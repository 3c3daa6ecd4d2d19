"""Graph -> Program: parameters computed, kernels chosen, scratch sized, views found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    fastest: bool = False,
    io_caller: bool = False,
) -> Program:
    """Lower every node; a kernel is taken only from `libraries`, in the op's order.

    `core` decides how much working memory vendor kernels are given. With `fastest`, a kernel that
    is known to be slower than ours on that core is left out. With `io_caller` inputs and
    outputs are buffers of the caller's, with no more than the alignment of their type.

    Raises:
        InternalError: an op that passes should have replaced is still there.
    """
    places, views = find_views(graph)
    foreign = _caller_buffers(graph, places) if io_caller else frozenset[str]()
    rules = _Rules(arithmetic, libraries, core, core if fastest else None)
    steps = []
    for node in graph.nodes:
        if node.name in views:
            steps.append(_view_step(graph, node, arithmetic))
        else:
            offsets = _offsets(node, places, foreign)
            steps.append(_call_step(graph, node, rules, places, offsets))
    return Program(graph, tuple(steps), places, arithmetic)


@dataclass(frozen=True)
class _Rules:
    """What decides about every node: the arguments of `lower` and `choose_kernel`."""

    arithmetic: Arithmetic
    libraries: Sequence[str]
    core: Core
    avoid: Core | None


def _lowered(graph: Graph, node: Node, arithmetic: Arithmetic) -> tuple[object, tuple[str, ...]]:
    spec = specs()[node.op]
    if spec.lower is None:
        raise InternalError(f"{node.op} '{node.name}' reached lowering and has no kernel")
    site = Site(node, graph.input_tensors(node), graph.output_tensors(node), arithmetic)
    lowered = spec.lower(site)
    return lowered.params, lowered.inputs


def _view_step(graph: Graph, node: Node, arithmetic: Arithmetic) -> Step:
    params, inputs = _lowered(graph, node, arithmetic)
    return Step(node, params, inputs, None)


def _call_step(
    graph: Graph,
    node: Node,
    rules: _Rules,
    places: dict[str, Place],
    offsets: Sequence[int | None],
) -> Step:
    spec = specs()[node.op]
    params, inputs = _lowered(graph, node, rules.arithmetic)
    kernel, refused = choose_kernel(spec, params, rules.libraries, offsets, rules.avoid, rules.core)
    pairs = tuple((node.outputs[o], inputs[i]) for o, i in spec.inplace(params))
    return Step(
        node,
        params,
        inputs,
        kernel,
        kernel.constants(params),
        kernel.scratch(params, rules.core),
        spec.macs(params),
        tuple(p for p in pairs if _may_share(graph, places, *p)),
        refused,
    )


def _caller_buffers(graph: Graph, places: dict[str, Place]) -> frozenset[str]:
    return frozenset(places[n].buffer for n in (*graph.inputs, *graph.outputs))


def _offsets(
    node: Node, places: dict[str, Place], foreign: frozenset[str]
) -> tuple[int | None, ...]:
    """Bytes from an aligned address to each activation of a node; None in a caller's buffer."""
    found = [places[n] for n in (*node.inputs, *node.outputs) if n in places]
    return tuple(None if p.buffer in foreign else p.offset_bytes for p in found)


def choose_kernel(
    spec: OpSpec,
    params: object,
    libraries: Sequence[str],
    offsets: Sequence[int | None] = (),
    avoid: Core | None = None,
    core: Core = Core.PLAIN,
) -> tuple[Kernel, tuple[tuple[str, str], ...]]:
    """The first kernel of `libraries` that accepts, and why other libraries refused.

    A library may have several kernels for an op: a refusal is told only where none took it, and
    then that of the kernel that would fit, else of the first.

    Args:
        spec: the operator.
        params: what the kernels get.
        libraries: allowed kernel libraries.
        offsets: bytes from an aligned address to each activation that is read or written; None
            where nobody knows.
        avoid: leave out kernels that are known to be slower than portable C on this core.
        core: what the kernels run on.

    Raises:
        InternalError: none accepts; the portable kernel must accept all the op allows.
    """
    refused: dict[str, str] = {}
    for kernel in spec.kernels:
        if kernel.library not in libraries:
            continue
        unfit = kernel.accepts(params)
        here = _wrong(kernel, core) or _misaligned(kernel, offsets) or _slow(kernel, params, avoid)
        reason = unfit or here
        if reason is None:
            refused.pop(kernel.library, None)
            return kernel, tuple(refused.items())
        if unfit is None:
            refused[kernel.library] = reason
        else:
            refused.setdefault(kernel.library, reason)
    raise InternalError(f"no kernel of {', '.join(libraries)} takes {spec.name}: {refused}")


def _wrong(kernel: Kernel, core: Core) -> str | None:
    return f"its code for {core.value} cores is wrong" if core in kernel.wrong_on else None


def _slow(kernel: Kernel, params: object, avoid: Core | None) -> str | None:
    if avoid not in kernel.slower_on(params):
        return None
    return f"portable C is faster on this kind of core; --kernels {kernel.library} insists"


def _misaligned(kernel: Kernel, offsets: Sequence[int | None]) -> str | None:
    step = kernel.align_bytes
    wrong = [o for o in offsets if step > 1 and (o is None or o % step)]
    if not wrong:
        return None
    where = "a caller's buffer" if wrong[0] is None else f"{wrong[0]} in a view"
    return f"tensors must lie at multiples of {step} bytes, got {where}"


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
