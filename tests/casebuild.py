"""Builds single-node programs of operator cases, many to one C file."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import opcases
from mcugen import host, lower, memory, render, view
from mcugen.ir import Array, DType, Graph, Node, Source, Tensor
from mcugen.names import identifier
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.program import Program
from mcugen.toolchain import Compiler
from opcase import OpCase


def families() -> list[str]:
    """Names of the modules of tests/opcases that have CASES."""
    return sorted(m.name for m in pkgutil.iter_modules(opcases.__path__))


@cache
def family_cases(family: str) -> tuple[OpCase, ...]:
    """The cases of one family; equal ids are numbered."""
    cases: tuple[OpCase, ...] = importlib.import_module(f"opcases.{family}").CASES
    seen: Counter[str] = Counter()
    unique = []
    for case in cases:
        seen[case.id] += 1
        count = seen[case.id]
        unique.append(case if count == 1 else replace(case, id=f"{case.id}-{count}"))
    return tuple(unique)


def case_graph(case: OpCase) -> Graph:
    """A graph of the case's one node; constant inputs hold their values."""
    tensors: dict[str, Tensor] = {}
    names = []
    for i, value in enumerate(case.inputs):
        name = "" if value is None else f"x{i}"
        names.append(name)
        if value is not None:
            data = value if i in case.constant else None
            tensors[name] = Tensor(
                name, value.shape, DType.of(value), case.quant.get(i), data, Source(name)
            )
    ins = tuple(tensors[n] if n else None for n in names)
    outputs = []
    for i, kind in enumerate(specs()[case.op].infer(case.attrs, ins)):
        quant = case.out_quant if i == 0 else None
        tensors[f"y{i}"] = Tensor(f"y{i}", kind.shape, kind.dtype, quant, None, Source(f"y{i}"))
        outputs.append(f"y{i}")
    node = Node(case.op, f"node_{case.id}", tuple(names), tuple(outputs), case.attrs, (case.id,))
    inputs = tuple(n for n in names if n and tensors[n].data is None)
    return Graph(case.id, (node,), tensors, inputs, tuple(outputs))


def case_feeds(case: OpCase) -> dict[str, Array]:
    """Graph input name -> value."""
    return {
        f"x{i}": np.asarray(v)
        for i, v in enumerate(case.inputs)
        if v is not None and i not in case.constant
    }


@dataclass(frozen=True)
class BuiltCase:
    """A case, its program and the prefix of its C."""

    case: OpCase
    program: Program
    order: tuple[int, ...]
    prefix: str


def _build_one(case: OpCase, prefix: str, arithmetic: Arithmetic) -> tuple[BuiltCase, dict]:
    program = lower.lower(case_graph(case), arithmetic=arithmetic)
    plan = memory.plan_memory(program)
    model = view.build(program, plan, view.EmitOptions(prefix), model_hash="00", version="test")
    return BuiltCase(case, program, plan.order, prefix), render.render(model)


def render_family(family: str, arithmetic: Arithmetic) -> tuple[list[BuiltCase], dict[str, str]]:
    """All cases of a family as one translation unit that includes every model's C."""
    built, files = [], {}
    for case in family_cases(family):
        prefix = identifier(f"{case.id}_{zlib.crc32(case.id.encode()):08x}")
        one, texts = _build_one(case, prefix, arithmetic)
        built.append(one)
        files |= {n.replace(".c", ".inc"): t for n, t in texts.items()}
    sources = [n for n in sorted(files) if n.endswith(".inc")]
    files[f"{family}.c"] = "".join(f'#include "{n}"\n' for n in sources)
    return built, files


def build_family(
    family: str,
    arithmetic: Arithmetic,
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] = ("-O2",),
) -> dict[str, tuple[BuiltCase, host.HostModel]]:
    """Case id -> program and host model."""
    built, files = render_family(family, arithmetic)
    prefixes = [b.prefix for b in built]
    library = host.build_library(files, prefixes, compiler=compiler, flags=flags)
    return {b.case.id: (b, host.HostModel(library, b.prefix, b.program.graph)) for b in built}
