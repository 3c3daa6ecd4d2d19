"""BatchNormalization(x, g, s, m, v)   becomes   x * a + (s - m * a),  a = g / sqrt(v + epsilon).

For those that no convolution before them took. The two constants [C, 1, ...] are computed in
float64 and rounded to float32. Refused: parameters that are computed.
"""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, Graph, Node
from mcugen.passes import expressions as ex
from mcugen.passes.edit import Editor
from mcugen.passes.fold_affine import batch_normalization


def run(graph: Graph) -> Graph:
    """The graph without BatchNormalization of constant parameters."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op == "BatchNormalization":
            _split(ed, node)
    return ed.finish()


def _split(ed: Editor, node: Node) -> None:
    affine = batch_normalization(ed, node)
    if affine is None or affine.scale is None:
        return
    name = node.inputs[0]
    scale = ed.constant(_shaped(ed, name, affine.scale), f"{node.outputs[0]}__scale")
    shift = ed.constant(_shaped(ed, name, affine.shift), f"{node.outputs[0]}__shift")
    product = ex.binary(ed, "Mul", name, scale, node)
    ed.bypass(node, ex.binary(ed, "Add", product, shift, node))


def _shaped(ed: Editor, name: str, values: Array) -> Array:
    """[C] as the float32 [C, 1, ...] that broadcasts along axis 1."""
    rank = ed.tensor(name).rank
    return values.astype(np.float32).reshape(-1, *(1,) * max(rank - 2, 0))
