"""y = Op(x), z = Op(x)   becomes   y = Op(x), z = y.

For nodes with the same operator, attributes and inputs. Constants count as equal when they are the
same tensor. Refused: a duplicate that writes a graph output.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor


def run(graph: Graph) -> Graph:
    """The graph in which nothing is computed twice."""
    ed = Editor(graph)
    seen: dict[Any, Node] = {}
    for node in ed.nodes():
        key = (node.op, node.inputs, _attrs_key(node.attrs))
        first = seen.get(key)
        if first is None or not ed.alive(first):
            seen[key] = node
        elif not any(o in ed.outputs for o in node.outputs):
            _share(ed, first, node)
    return ed.finish()


def _share(ed: Editor, first: Node, node: Node) -> None:
    for kept, gone in zip(first.outputs, node.outputs, strict=True):
        if ed.tensor(kept).quant != ed.tensor(gone).quant:
            return
    for kept, gone in zip(first.outputs, node.outputs, strict=True):
        ed.redirect(gone, kept)
    ed.replace((node,), ())


def _attrs_key(attrs: Any) -> tuple[Any, ...]:
    """A hashable stand-in: equal for equal attributes."""
    values = (getattr(attrs, f.name) for f in dataclasses.fields(attrs))
    return (
        type(attrs),
        *((v.dtype.str, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values),
    )
