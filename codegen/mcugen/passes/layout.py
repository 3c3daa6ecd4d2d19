"""[N, C, *spatial] -> [N, *spatial, C] for the operators that want channels last.

Transpose(x, p) -> Op    becomes    Op' -> Transpose(y, p)    (OpSpec.permute)
x[N, C, H, W] -> Conv    becomes    Transpose -> Conv' -> a Transpose that waits
Transpose -> Reshape     becomes    Reshape' -> Transpose, where the reshape keeps axes apart
Transpose -> Reshape [N, K] -> FullyConnected   becomes   Reshape -> FullyConnected, columns of the
                                                          weights in the new order

Every Transpose waits as a view until an operator needs the axes in another order; two that meet
cancel. Constants are transposed here and now; a Transpose that moves no byte is a Reshape. Graph
inputs and outputs keep their names, and their order where the caller does not want another.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcugen.ir import Graph, Node, Tensor
from mcugen.ops.registry import specs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import Site
from mcugen.passes.columns import Columns
from mcugen.passes.permutations import (
    Perm,
    channels_last,
    compose,
    identity,
    inverse,
    is_identity,
    keeps_memory,
    permuted,
    through_reshape,
)
from mcugen.passes.relayout import Relayout, View
from mcugen.passes.roles import data_inputs


def run(
    graph: Graph,
    inputs: Mapping[str, Perm] | None = None,
    outputs: Mapping[str, Perm] | None = None,
) -> Graph:
    """The graph with channels last and its Transposes cancelled or moved out.

    Args:
        graph: any.
        inputs: graph inputs that shall be given transposed.
        outputs: graph outputs, made by nodes, that shall be taken transposed.
    """
    build = Relayout(graph, inputs, outputs)
    columns = Columns(graph)
    for node in graph.nodes:
        if node.op == "Transpose":
            _transpose(build, node)
        elif not (
            _spatial(build, node)
            or _reshape(build, node)
            or columns.take(build, node)
            or _permutable(build, node)
        ):
            build.keep(node)
    return build.finish()


def _transpose(build: Relayout, node: Node) -> None:
    """Only note the order: the tensor is made when somebody needs it."""
    view = build.view(node.inputs[0])
    build.set_view(node.outputs[0], View(view.tensor, compose(view.perm, node.attrs.perm)))


def _spatial(build: Relayout, node: Node) -> bool:
    """Turn a spatial operator into its channels-last form."""
    form = specs()[node.op].channels_last
    if form is None or node.attrs.channels_last:
        return False
    perm = channels_last(build.graph[node.inputs[0]].rank)
    data = build.ordered(node.inputs[0], perm, node)
    others = tuple(build.logical(i, node) for i in node.inputs[1:])
    build.rewrite(node, (data, *others), form(node.attrs), perm)
    return True


def _reshape(build: Relayout, node: Node) -> bool:
    """Reshape the tensor as it lies, when the axes can be found again afterwards."""
    if node.op != "Reshape":
        return False
    view = build.view(node.inputs[0])
    new = build.graph[node.outputs[0]]
    if is_identity(view.perm):
        return False
    shape = build.tensors[view.tensor].shape
    if keeps_memory(shape, view.perm):
        build.rewrite(node, (view.tensor,), node.attrs)
        return True
    through = through_reshape(shape, view.perm, new.shape)
    if through is None:
        return False
    shape, perm = _preferred(through, new.shape)
    build.rewrite(node, (view.tensor,), ReshapeAttrs(shape), inverse(perm))
    return True


def _preferred(
    through: tuple[tuple[int, ...], Perm], logical: tuple[int, ...]
) -> tuple[tuple[int, ...], Perm]:
    """The same memory as [N, *spatial, C] where it is that but for the place of axes of size 1."""
    shape, perm = through
    for wanted in (identity(len(logical)), channels_last(len(logical))):
        if len(wanted) == len(logical) and keeps_memory(shape, compose(perm, wanted)):
            return permuted(logical, wanted), inverse(wanted)
    return through


def _permutable(build: Relayout, node: Node) -> bool:
    """Let the operator work on its inputs in the order most of their bytes have already."""
    permute = specs()[node.op].permute
    data = data_inputs(node)
    rank = build.graph[node.outputs[0]].rank
    if permute is None or not data or any(build.graph[o].rank != rank for o in node.outputs):
        return False
    perm = _cheapest(build, node, [node.inputs[i] for i in data])
    if is_identity(perm):
        return False
    order = inverse(perm)
    graph = build.graph
    attrs = permute(Site(node, graph.input_tensors(node), graph.output_tensors(node)), order)
    if attrs is None:
        return False
    inputs = tuple(
        _operand(build, name, order, node) if index in data else build.logical(name, node)
        for index, name in enumerate(node.inputs)
    )
    build.rewrite(node, inputs, attrs, order)
    return True


def _cheapest(build: Relayout, node: Node, names: list[str]) -> Perm:
    """The order (as a view's perm) that leaves the fewest bytes to be transposed.

    Counted are inputs that lie in another order, and results that are graph outputs.
    """
    rank = build.graph[node.outputs[0]].rank
    views = [build.view(n) for n in names if build.graph[n].rank == rank]
    candidates = [v.perm for v in views if not is_identity(v.perm)] + [identity(rank)]

    def moved_bytes(perm: Perm) -> int:
        given = sum(build.cost(v.tensor, compose(v.perm, inverse(perm))) for v in views)
        taken = [build.graph[o] for o in node.outputs if o in build.graph.outputs]
        return given + sum(t.nbytes for t in taken if _moves(build, t, inverse(perm)))

    return min(candidates, key=moved_bytes)


def _moves(build: Relayout, output: Tensor, order: Perm) -> bool:
    """Whether a graph output that lies in this order is taken in one with other bytes."""
    wanted = build.taken(output.name)
    return not keeps_memory(permuted(output.shape, wanted), compose(inverse(wanted), order))


def _operand(build: Relayout, name: str, order: Perm, node: Node) -> str:
    """transpose(old tensor, order), with axes of size 1 in front where its rank is lower.

    A tensor of one element broadcasts as it is.
    """
    tensor = build.graph[name]
    if tensor.rank == len(order):
        return build.ordered(name, order, node)
    if tensor.size == 1:
        return build.logical(name, node)
    return build.widened(name, order, node)
