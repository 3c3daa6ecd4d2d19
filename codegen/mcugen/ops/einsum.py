"""Einsum: sums of products by an equation like `bhqd,bhkd->bhqk`, computed by other operators.

A letter twice in an operand   Transpose, Reshape and a Slice with step n + 1: the diagonal
A letter that nobody else has  ReduceSum
Two operands                   Mul where no letter is summed, else MatMul of the operands as
                               [batch..., m, k] and [batch..., k, n]
The result                     Transpose

Operands are multiplied from left to right. The axes of `...` broadcast.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.matmul import MatMulAttrs
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.spec import Expansion, ImportContext, Reject
from mcugen.ops.transpose import TransposeAttrs

Labels = tuple[str, ...]
"""One label per axis: a letter, or "0", "1", ... for the axes of `...` from the outermost."""

_TERM = re.compile(r"([A-Za-z]*)(?:(\.\.\.)([A-Za-z]*))?")


@dataclass(frozen=True)
class Operand:
    """A tensor of the expansion: its name, and label and extent of each axis."""

    name: str
    labels: Labels
    shape: tuple[int, ...]

    def extents(self, labels: Collection[str]) -> tuple[int, ...]:
        """The extents of `labels`, 1 where there is none."""
        own = dict(zip(self.labels, self.shape, strict=True))
        return tuple(own.get(label, 1) for label in labels)

    def without(self, labels: Collection[str]) -> Labels:
        """The labels that are not in `labels`."""
        return tuple(label for label in self.labels if label not in labels)


def einsum_from_onnx(ctx: ImportContext) -> None:
    """The product of all operands, then the order of the result."""
    operands, result = _parsed(ctx)
    product, *others = [_diagonal(ctx, x) for x in operands]
    while others:
        wanted = {*result, *(label for x in others[1:] for label in x.labels)}
        left = _summed(ctx, product, {*wanted, *others[0].labels})
        right = _summed(ctx, others.pop(0), {*wanted, *product.labels})
        product = _product(ctx, left, right, wanted)
    product = _summed(ctx, product, result)
    perm = tuple(product.labels.index(label) for label in result)
    ctx.emit("Transpose", (product.name,), TransposeAttrs(perm), ctx.outputs)


def _parsed(ctx: ImportContext) -> tuple[list[Operand], Labels]:
    """The operands, and the labels of the result."""
    equation = str(ctx.attr("equation", "")).replace(" ", "")
    left, arrow, right = equation.partition("->")
    tensors = [ctx.tensor(i) for i in range(len(ctx.inputs))]
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise Reject(f"equation must have a term for each of {len(tensors)} inputs, got {equation}")
    hidden = [t.rank - len(_letters(e)) for e, t in zip(terms, tensors, strict=True)]
    broadcast = tuple(str(i) for i in range(max(0, *hidden)))
    operands = [
        Operand(t.name, _labels(e, broadcast[len(broadcast) - n :], n), t.shape)
        for e, t, n in zip(terms, tensors, hidden, strict=True)
    ]
    extents = _extents(operands)
    result = _labels(right, broadcast, len(broadcast)) if arrow else _implied(operands)
    if len(set(result)) < len(result) or not set(result) <= set(extents):
        raise Reject(f"the result must have different letters of the terms, got {equation}")
    return [_without_repeats(ctx, x, extents) for x in operands], result


def _letters(term: str) -> str:
    return term.replace("...", "")


def _labels(term: str, broadcast: Labels, hidden: int) -> Labels:
    """The labels of a term whose `...` stands for `broadcast`, `hidden` axes."""
    match = _TERM.fullmatch(term)
    dots = match is not None and match[2] is not None
    if match is None or hidden < 0 or (hidden > 0 and not dots):
        raise Reject(f"a term must have a letter per axis and at most one '...', got '{term}'")
    return (*match[1], *(broadcast if dots else ()), *(match[3] or ""))


def _implied(operands: Sequence[Operand]) -> Labels:
    """The result when none is given: the axes of `...`, then letters used once, by alphabet."""
    count = Counter(label for x in operands for label in x.labels)
    dots = sorted((label for label in count if label.isdecimal()), key=int)
    return (*dots, *sorted(x for x, n in count.items() if n == 1 and not x.isdecimal()))


def _extents(operands: Sequence[Operand]) -> Mapping[str, int]:
    """Extent of each label."""
    extents: dict[str, int] = {}
    for x in operands:
        for label, extent in zip(x.labels, x.shape, strict=True):
            known = extents.setdefault(label, extent)
            if known == 1 and label.isdecimal():
                extents[label] = extent
            elif extent != known and not (extent == 1 and label.isdecimal()):
                what = "'...'" if label.isdecimal() else f"'{label}'"
                raise Reject(f"{what} must have one extent, got {known} and {extent}")
    return extents


def _without_repeats(ctx: ImportContext, x: Operand, extents: Mapping[str, int]) -> Operand:
    """Without the axes of extent 1 that are repeated for the other operands."""
    repeated = [a for a, n in zip(x.labels, x.shape, strict=True) if n == 1 and extents[a] != 1]
    labels = x.without(repeated)
    return _reshaped(ctx, x, labels, x.extents(labels)) if repeated else x


def _emitted(
    ctx: ImportContext,
    op: str,
    inputs: Sequence[str],
    attrs: Any,
    labels: Labels,
    shape: tuple[int, ...],
) -> Operand:
    (name,) = ctx.emit(op, inputs, attrs)
    return Operand(name, labels, shape)


def _reshaped(ctx: ImportContext, x: Operand, labels: Labels, shape: tuple[int, ...]) -> Operand:
    if shape == x.shape:
        return Operand(x.name, labels, shape)
    return _emitted(ctx, "Reshape", (x.name,), ReshapeAttrs(shape), labels, shape)


def _transposed(ctx: ImportContext, x: Operand, perm: Sequence[int]) -> Operand:
    if all(a <= b for a, b in pairwise(perm)):
        return x
    labels, shape = tuple(x.labels[p] for p in perm), tuple(x.shape[p] for p in perm)
    return _emitted(ctx, "Transpose", (x.name,), TransposeAttrs(tuple(perm)), labels, shape)


def _ordered(ctx: ImportContext, x: Operand, labels: Labels) -> Operand:
    """The operand with its axes in the order of `labels`."""
    return _transposed(ctx, x, [x.labels.index(label) for label in labels])


def _diagonal(ctx: ImportContext, x: Operand) -> Operand:
    """The operand with every label once."""
    twice = [label for label, count in Counter(x.labels).items() if count > 1]
    if not twice:
        return x
    first = x.labels.index(twice[0])
    second = x.labels.index(twice[0], first + 1)
    kept = [a for a in range(len(x.labels)) if a not in (first, second)]
    last = _transposed(ctx, x, (*kept, first, second))
    extent = x.shape[first]
    shape = (*last.shape[:-2], extent * extent)
    flat = _reshaped(ctx, last, last.labels[:-1], shape)
    attrs = SliceAttrs.whole(shape).along(len(kept), 0, extent, extent + 1)
    taken = _emitted(ctx, "Slice", (flat.name,), attrs, flat.labels, attrs.sizes)
    return _diagonal(ctx, taken)


def _summed(ctx: ImportContext, x: Operand, wanted: Collection[str]) -> Operand:
    """The operand summed over the labels that are not wanted."""
    axes = tuple(a for a, label in enumerate(x.labels) if label not in wanted)
    if not axes:
        return x
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    summed = _emitted(ctx, "ReduceSum", (x.name,), ReduceAttrs(axes), x.labels, shape)
    labels = tuple(label for label in x.labels if label in wanted)
    return _reshaped(ctx, summed, labels, summed.extents(labels))


def _product(ctx: ImportContext, a: Operand, b: Operand, wanted: Collection[str]) -> Operand:
    """The product, summed over the labels of both that are not wanted."""
    common = set(a.labels) & set(b.labels)
    summed = tuple(label for label in a.labels if label in common and label not in wanted)
    if not summed:
        return _multiplied(ctx, a, b)
    batch = tuple(label for label in a.labels if label in common and label in wanted)
    m, n = a.without(common), b.without(common)
    left, right = _ordered(ctx, a, (*batch, *m, *summed)), _ordered(ctx, b, (*batch, *summed, *n))
    batches, rows, inner, columns = (
        left.extents(batch),
        math.prod(a.extents(m)),
        math.prod(a.extents(summed)),
        math.prod(b.extents(n)),
    )
    left = _reshaped(ctx, left, (), (*batches, rows, inner))
    right = _reshaped(ctx, right, (), (*batches, inner, columns))
    shape = (*batches, rows, columns)
    product = _emitted(ctx, "MatMul", (left.name, right.name), MatMulAttrs(), (), shape)
    return _reshaped(ctx, product, (*batch, *m, *n), (*batches, *a.extents(m), *b.extents(n)))


def _multiplied(ctx: ImportContext, a: Operand, b: Operand) -> Operand:
    """The product element by element, both operands broadcast."""
    labels = (*a.labels, *b.without(a.labels))
    right = _ordered(ctx, b, tuple(label for label in labels if label in b.labels))
    left = _reshaped(ctx, a, labels, a.extents(labels))
    right = _reshaped(ctx, right, labels, right.extents(labels))
    shape = tuple(p if q == 1 else q for p, q in zip(left.shape, right.shape, strict=True))
    return _emitted(ctx, "Mul", (left.name, right.name), BinaryAttrs(), labels, shape)


_RULE = "the element type must be one that MatMul, Mul and ReduceSum take, where they are needed"

EXPANSIONS = MappingProxyType({"Einsum": Expansion(einsum_from_onnx, "MatMul", (_RULE,))})
