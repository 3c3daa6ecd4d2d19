"""Relu and Clip as clamps."""

from __future__ import annotations

import math

from mcugen.ir import DType, Node
from mcugen.ops.common import Clamp
from mcugen.passes.edit import Editor


def clamp_of(ed: Editor, node: Node) -> Clamp | None:
    """What a float Relu or Clip clamps its only input to; None for every other node."""
    if node.op not in ("Relu", "Clip") or len([i for i in node.inputs if i]) != 1:
        return None
    if ed.tensor(node.inputs[0]).dtype is not DType.FLOAT32:
        return None
    if node.op == "Relu":
        return Clamp(0.0, math.inf)
    return Clamp(node.attrs.low, node.attrs.high)
