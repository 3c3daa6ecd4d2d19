"""Builds single-node programs of operator cases, many to one C file."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import opcases
from mcugen import host, lower, memory, render, view
from mcugen.compiler import Compiled, CompileOptions
from mcugen.frontend import Imported
from mcugen.ir import Array, DType, Graph, Node, Source, Tensor
from mcugen.kernels import PORTABLE, VENDOR_LIBRARIES
from mcugen.names import identifier
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.program import Program
from mcugen.toolchain import Compiler
from mcugen.vendor import LibraryUse, read_vendor
from opcase import OpCase
from together import one_file


def families() -> list[str]:
    """Names of the modules of tests/opcases that have CASES."""
    return sorted(m.name for m in pkgutil.iter_modules(opcases.__path__))


@cache
def family_cases(family: str) -> tuple[OpCase, ...]:
    """The cases of one family; test_architecture.py holds their ids unique."""
    cases: tuple[OpCase, ...] = importlib.import_module(f"opcases.{family}").CASES
    return cases


def case_graph(case: OpCase) -> Graph:
    """A graph of the case's one node; constant inputs hold their values."""
    tensors: dict[str, Tensor] = {}
    names = []
    for i, value in enumerate(case.inputs):
        name = "" if value is None else f"x{i}"
        names.append(name)
        if value is not None:
            data = value if i in case.constant else None
            quant, source = case.quant.get(i), Source(name)
            dtype, bits = DType.of(value), case.bits.get(i)
            tensors[name] = Tensor(name, value.shape, dtype, quant, data, source, bits)
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


@dataclass(frozen=True, eq=False)
class BuiltCase:
    """A case and all that was made of it, without any pass: the case's node is what is lowered."""

    case: OpCase
    compiled: Compiled

    @property
    def program(self) -> Program:
        return self.compiled.program

    @property
    def prefix(self) -> str:
        return self.compiled.model.prefix


def compile_case(
    case: OpCase, arithmetic: Arithmetic, libraries: Sequence[str] = (PORTABLE,)
) -> BuiltCase:
    """Lower, plan and render the one node."""
    prefix = identifier(f"{case.id}_{zlib.crc32(case.id.encode()):08x}")
    graph = case_graph(case)
    program = lower.lower(graph, arithmetic=arithmetic, libraries=libraries)
    plan = memory.plan_memory(program)
    model = view.build(program, plan, view.EmitOptions(prefix), model_hash="00", version="test")
    imported = Imported(graph, (), (), case.id, 0, "test", "00")
    options = CompileOptions(name=prefix, arithmetic=arithmetic)
    files = render.render(model)
    return BuiltCase(case, Compiled(imported, graph, program, plan, model, files, options))


def render_family(
    family: str, arithmetic: Arithmetic, libraries: Sequence[str] = (PORTABLE,)
) -> tuple[list[BuiltCase], dict[str, str]]:
    """All cases of a family as one translation unit that includes every model's C."""
    built = [compile_case(case, arithmetic, libraries) for case in family_cases(family)]
    return built, one_file([b.compiled.files for b in built], family)


def build_family(
    family: str,
    arithmetic: Arithmetic,
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] = ("-O2",),
    libraries: Sequence[str] = (PORTABLE,),
    vendor_dir: Path | None = None,
) -> dict[str, tuple[BuiltCase, host.HostModel]]:
    """Case id -> program and host model; with `vendor_dir` on the first library's own sources."""
    built, files = render_family(family, arithmetic, libraries)
    prefixes = [b.prefix for b in built]
    vendor = None
    if vendor_dir is not None:
        entry = VENDOR_LIBRARIES[libraries[0]]
        vendor = read_vendor([LibraryUse(entry, entry.functions_in(files.values()))], vendor_dir)
    library = host.build_library(
        files, prefixes, compiler=compiler, flags=flags, libraries=libraries, vendor=vendor
    )
    return {b.case.id: (b, host.HostModel(library, b.prefix, b.program.graph)) for b in built}
