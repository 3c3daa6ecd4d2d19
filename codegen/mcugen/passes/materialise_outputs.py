"""output = x, or an output that another output also is  ->  output = Identity(x).

Afterwards every graph output has a node that writes it, which no other output shares and which is
no view of a graph input: the caller's input stays unchanged and each output has its own bytes.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.ops.identity import IdentityAttrs
from mcugen.passes.edit import Editor


def run(graph: Graph) -> Graph:
    """The graph in which every output is written by a node of its own."""
    ed = Editor(graph)
    outputs: list[str] = []
    for name in graph.outputs:
        if name in outputs or name in graph.inputs or graph[name].is_constant:
            outputs.append(_copy(ed, name))
        else:
            outputs.append(name)
    if tuple(outputs) != graph.outputs:
        ed.set_interface(outputs=tuple(outputs))
    return ed.finish()


def _copy(ed: Editor, name: str) -> str:
    tensor = ed.tensor(name)
    out = ed.add_tensor(tensor.replace(name=f"{name}__output", data=None))
    node = Node("Identity", ed.fresh(f"{out}.copy"), (name,), (out,), IdentityAttrs())
    anchor = ed.producer(name)
    ed.replace((), (node,), near=anchor)
    return out
