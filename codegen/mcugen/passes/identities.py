"""y = x in disguise  ->  x.

Identity; Reshape, Expand, Tile and Slice to the same shape; Transpose without a change of order;
Pad by nothing; Cast to the same type; Concat of one; Mul and Div by 1; Add and Sub of 0; a clamp
without bounds.

Reshape -> Reshape        becomes   Reshape
Transpose -> Transpose    becomes   Transpose
Relu, Clip -> Relu, Clip  becomes   Clip

Bit-safe: -0.0 + 0.0 is 0.0, so a float Add goes only where -0.0 is added, and Sub where +0.0 is
subtracted. Refused: where broadcasting changes the shape; an inner clamp that others read too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcugen.ir import Array, Graph, Node
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.passes.clamps import clamp_of
from mcugen.passes.edit import Editor, origins, repeat
from mcugen.passes.permutations import compose, is_identity


def run(graph: Graph) -> Graph:
    """The graph without operators that do nothing."""
    ed = Editor(graph)
    repeat(ed, lambda ed, node: _merge(ed, node) or _drop(ed, node))
    return ed.finish()


def _drop(ed: Editor, node: Node) -> bool:
    """Remove the node when its output is one of its inputs."""
    if len(node.outputs) != 1:
        return False
    same = _same_input(ed, node)
    if same is None:
        return False
    before, after = ed.tensor(same), ed.tensor(node.outputs[0])
    if before.shape != after.shape or before.dtype is not after.dtype:
        return False
    return ed.bypass(node, same)


def _same_input(ed: Editor, node: Node) -> str | None:
    """The input that the output equals if its shape and type are the same; None when none does."""
    present = [i for i in node.inputs if i]
    if node.op in _ALWAYS or (node.op == "Concat" and len(present) == 1):
        return present[0]
    if node.op == "Transpose":
        return present[0] if is_identity(node.attrs.perm) else None
    if node.op == "Slice":
        return present[0] if all(step > 0 for step in node.attrs.steps) else None
    if node.op in _NEUTRAL and getattr(node.attrs, "activation", None) is None:
        return _other_operand(ed, node)
    clamp = clamp_of(ed, node)
    if clamp is not None and not clamp.has_low and not clamp.has_high:
        return present[0]
    return None


_ALWAYS = frozenset({"Identity", "Reshape", "Expand", "Tile", "Cast", "Pad"})
"""With the shape and the type kept, these keep every element in its place."""


def _other_operand(ed: Editor, node: Node) -> str | None:
    """The variable operand where the other one is a constant that changes nothing."""
    neutral, commutes = _NEUTRAL[node.op]
    left, right = node.inputs
    value = ed.value(right)
    if value is not None and neutral(value):
        return left
    value = ed.value(left)
    return right if commutes and value is not None and neutral(value) else None


def _ones(value: Array) -> bool:
    return bool(np.all(value == 1))


def _zeros(value: Array) -> bool:
    return bool(np.all(value == 0)) and not bool(np.any(np.signbit(value)))


def _added_zeros(value: Array) -> bool:
    """-0.0 for floats: x + -0.0 is x for every x, x + 0.0 is not for x = -0.0."""
    if value.dtype.kind != "f":
        return _zeros(value)
    return bool(np.all(value == 0)) and bool(np.all(np.signbit(value)))


_NEUTRAL: dict[str, tuple[Callable[[Array], bool], bool]] = {
    "Add": (_added_zeros, True),
    "Sub": (_zeros, False),
    "Mul": (_ones, True),
    "Div": (_ones, False),
}
"""Operator -> (whether a constant changes nothing, whether it may be on the left)."""


def _merge(ed: Editor, node: Node) -> bool:
    """Let the node do the work of the node before it too."""
    before = ed.producer(node.inputs[0]) if node.inputs and node.inputs[0] else None
    if before is None:
        return False
    if node.op == before.op == "Reshape":
        changed = node.replace(inputs=before.inputs, origin=origins(before, node))
    elif node.op == before.op == "Transpose":
        perm = compose(before.attrs.perm, node.attrs.perm)
        attrs = TransposeAttrs(perm)
        changed = node.replace(inputs=before.inputs, attrs=attrs, origin=origins(before, node))
    else:
        return _merge_clamps(ed, before, node)
    ed.replace((node,), (changed,))
    return True


def _merge_clamps(ed: Editor, before: Node, node: Node) -> bool:
    first, then = clamp_of(ed, before), clamp_of(ed, node)
    if first is None or then is None or ed.sole_consumer(before.outputs[0]) is None:
        return False
    clamp = first.then(then.low, then.high)
    if first == clamp and before.op == node.op == "Relu":
        changed = node.replace(inputs=before.inputs, origin=origins(before, node))
    else:
        attrs = ClipAttrs(clamp.low, clamp.high)
        changed = Node("Clip", node.name, before.inputs, node.outputs, attrs, origins(before, node))
    ed.replace((node,), (changed,), near=before)
    return True
