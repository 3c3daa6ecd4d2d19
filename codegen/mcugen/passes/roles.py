"""Which inputs of a node are data, and which operators work element by element."""

from __future__ import annotations

from mcugen.ir import Node
from mcugen.ops.elementwise import keep_attrs
from mcugen.ops.registry import specs


def is_elementwise(node: Node) -> bool:
    """Whether each output element is made of the elements at its place in the broadcast inputs."""
    return specs()[node.op].permute is keep_attrs


def data_inputs(node: Node) -> tuple[int, ...]:
    """Indices of the inputs whose elements the outputs hold or are computed from.

    The others are parameters: weights, scales, indices.
    """
    if is_elementwise(node) or node.op == "Concat":
        return tuple(index for index, name in enumerate(node.inputs) if name)
    return (0,) if node.inputs and node.inputs[0] else ()
