"""Recorded kernel cases run through an operator's reference and through its C.

Parameters are built straight from the recorded integers, so neither lowering nor a graph of real
numbers comes between the recording and the kernel.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcugen import host, memory, render, view
from mcugen.ir import Array, DType, Graph, Node, Tensor
from mcugen.lower import choose_kernel
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Core
from mcugen.program import Place, Program, Step


@dataclass(frozen=True, eq=False)
class GoldenCase:
    """One recorded call: its integers and its arrays by name (`x`, `w`, `b`, ..., `y`)."""

    id: str
    params: dict[str, int]
    arrays: dict[str, Array]

    def array(self, name: str, default: Array | None = None) -> Array:
        """An array, or the default where the case has none."""
        found = self.arrays.get(name, default)
        assert found is not None, f"{self.id} has no {name}"
        return found


def golden_cases(folder: Path, file: str) -> Iterator[GoldenCase]:
    """The cases of `FILE.npz`."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{file}.npz") as data:
        for entry in index["files"][f"{file}.npz"]:
            prefix = f"{entry['id']}_"
            arrays = {n.removeprefix(prefix): data[n] for n in data if n.startswith(prefix)}
            yield GoldenCase(entry["id"], entry["params"], arrays)


@dataclass(frozen=True, eq=False)
class KernelCall:
    """One call of an operator's kernel with given parameters."""

    id: str
    op: str
    params: Any
    inputs: tuple[Array, ...]
    expected: Array


def check_calls(calls: Sequence[KernelCall], name: str) -> None:
    """Reference and C give the expected bytes, all C in one translation unit."""
    for call in calls:
        reference = specs()[call.op].reference
        assert reference is not None
        _assert_equal(call, reference(call.params, call.inputs)[0], "reference")
    files: dict[str, str] = {}
    programs = {call.id: _program(call) for call in calls}
    for call in calls:
        program = programs[call.id]
        options = view.EmitOptions(f"case_{call.id}")
        plan = memory.plan_memory(program)
        model = view.build(program, plan, options, model_hash="00", version="test")
        files |= {n.replace(".c", ".inc"): t for n, t in render.render(model).items()}
    sources = sorted(n for n in files if n.endswith(".inc"))
    files[f"{name}.c"] = "".join(f'#include "{n}"\n' for n in sources)
    library = host.build_library(files, [f"case_{c.id}" for c in calls], flags=("-O2",))
    for call in calls:
        built = host.HostModel(library, f"case_{call.id}", programs[call.id].graph)
        feeds = {f"x{i}": value for i, value in enumerate(call.inputs)}
        _assert_equal(call, built.run(feeds)["y"], "C")


def _assert_equal(call: KernelCall, got: Array, what: str) -> None:
    assert got.dtype == call.expected.dtype
    message = f"{what} of {call.op} {call.id}"
    np.testing.assert_array_equal(got.reshape(call.expected.shape), call.expected, message)


def _program(call: KernelCall) -> Program:
    names = tuple(f"x{i}" for i in range(len(call.inputs)))
    pairs = [*zip(names, call.inputs, strict=True), ("y", call.expected)]
    tensors = {n: Tensor(n, a.shape, DType.of(a)) for n, a in pairs}
    node = Node(call.op, "node", names, ("y",), None, (call.id,))
    graph = Graph(call.id, (node,), tensors, names, ("y",))
    kernel, refused = choose_kernel(specs()[call.op], call.params, ("portable",))
    step = Step(
        node,
        call.params,
        names,
        kernel,
        kernel.constants(call.params),
        kernel.scratch(call.params, Core.PLAIN),
        refused=refused,
    )
    places = {n: Place(n, 0) for n in (*names, "y")}
    return Program(graph, (step,), places, Arithmetic.TFLITE)


def calls_of(
    folder: Path, file: str, make: Callable[[GoldenCase], tuple[str, Any, tuple[Array, ...]]]
) -> list[KernelCall]:
    """One call per case; `make` gives operator, parameters and inputs."""
    return [KernelCall(c.id, *make(c), c.array("y")) for c in golden_cases(folder, file)]
