"""Adding common nodes in a pass: each function returns the name of the result."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Node
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.passes.edit import Editor


def binary(ed: Editor, op: str, left: str, right: str, near: Node) -> str:
    """The broadcast operation `op` (Add, Mul, ...)."""
    return ed.emit(op, (left, right), BinaryAttrs(), near=near)


def scaled(ed: Editor, name: str, factor: float, near: Node) -> str:
    """The tensor times a number; itself for 1."""
    if factor == 1.0:
        return name
    constant = ed.constant(np.array(factor, ed.tensor(name).dtype.np), f"{name}__factor")
    return binary(ed, "Mul", name, constant, near)


def transposed(ed: Editor, name: str, perm: tuple[int, ...], near: Node) -> str:
    """The tensor with its axes in another order."""
    return ed.emit("Transpose", (name,), TransposeAttrs(perm), near=near)


def reshaped(ed: Editor, name: str, shape: tuple[int, ...], near: Node) -> str:
    """The tensor under another shape; itself when it has that shape."""
    if ed.tensor(name).shape == shape:
        return name
    return ed.emit("Reshape", (name,), ReshapeAttrs(shape), near=near)
