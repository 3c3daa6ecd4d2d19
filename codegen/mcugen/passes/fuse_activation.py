"""Op -> Relu or Clip   becomes   Op with the clamp as its activation.

For every operator whose attributes have an activation; a second clamp composes with the first.
Refused: a result that others read before the clamp, and types other than float32.
"""

from __future__ import annotations

import dataclasses

from mcugen.ir import Graph, Node
from mcugen.ops.common import NO_CLAMP
from mcugen.passes.clamps import clamp_of
from mcugen.passes.edit import Editor, origins


def run(graph: Graph) -> Graph:
    """The graph with clamps in the operators that can do them."""
    ed = Editor(graph)
    for node in ed.nodes():
        _fuse(ed, node)
    return ed.finish()


def _fuse(ed: Editor, node: Node) -> None:
    """Fuse a clamp into its producer."""
    clamp = clamp_of(ed, node)
    before = ed.producer(node.inputs[0]) if clamp is not None else None
    if clamp is None or before is None or ed.sole_consumer(before.outputs[0]) is None:
        return
    if not hasattr(before.attrs, "activation") or len(before.outputs) != 1:
        return
    first = before.attrs.activation or NO_CLAMP
    attrs = dataclasses.replace(before.attrs, activation=first.then(clamp.low, clamp.high))
    fused = before.replace(outputs=node.outputs, attrs=attrs, origin=origins(before, node))
    ed.replace((before, node), (fused,))
