"""Recorded kernel cases run through an operator's reference and through its C.

Parameters are built straight from the recorded integers, so neither lowering nor a graph of real
numbers comes between the recording and the kernel.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mcugen import host, memory, render, view
from mcugen.ir import Array, DType, Graph, Node, Tensor
from mcugen.kernels import PORTABLE, VENDOR_LIBRARIES
from mcugen.lower import choose_kernel
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Core, Kernel
from mcugen.program import Place, Program, Step
from mcugen.vendor import LibraryUse, read_vendor
from vendor_sources import vendor_folder


@dataclass(frozen=True, eq=False)
class GoldenCase:
    """One recorded call.

    Attributes:
        id: unique in its file.
        params: integers.
        arrays: by name: `x`, `w`, `b`, ..., `y`.
        scratch_bytes: build of a library -> working memory that it asked for.
    """

    id: str
    params: dict[str, int]
    arrays: dict[str, Array]
    scratch_bytes: dict[str, int]

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
            scratch = entry.get("scratch_bytes", {})
            yield GoldenCase(entry["id"], entry["params"], arrays, scratch)


@dataclass(frozen=True, eq=False)
class KernelCall:
    """One call of an operator's kernel with given parameters."""

    id: str
    op: str
    params: Any
    inputs: tuple[Array, ...]
    expected: Array


@dataclass(frozen=True)
class Recorded:
    """What is known of one file of recorded cases.

    Attributes:
        cases: how many there are.
        taken: vendor library -> how many of them its kernels take.
        refused: vendor library -> reason, without its numbers -> how many of them it refuses. A
            library in neither has no kernel for the operator.
    """

    cases: int
    taken: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


RECORDED = {
    "conv": Recorded(
        80,
        {"cmsis_nn": 80, "esp_nn": 31},
        {
            "esp_nn": {
                "one image at a time": 44,
                "images smaller than the window need stride 1": 1,
                "padding behind may be at most that in front": 4,
            }
        },
    ),
    "conv_big": Recorded(3, {"cmsis_nn": 3, "esp_nn": 3}),
    "conv_grouped": Recorded(
        24,
        {"cmsis_nn": 24, "esp_nn": 0},
        {"esp_nn": {"groups of channels are computed in plain C": 23, "is computed in plain C": 1}},
    ),
    "conv_dilated": Recorded(
        30, {"cmsis_nn": 30, "esp_nn": 5}, {"esp_nn": {"dilations are ignored": 25}}
    ),
    "dw": Recorded(
        70,
        {"cmsis_nn": 70, "esp_nn": 25},
        {"esp_nn": {"one image at a time": 32, "is computed in plain C": 13}},
    ),
    "dw_dilated": Recorded(
        20,
        {"cmsis_nn": 20, "esp_nn": 2},
        {
            "esp_nn": {
                "one image at a time": 9,
                "dilations are ignored": 7,
                "is computed in plain C": 2,
            }
        },
    ),
    "fc": Recorded(
        40, {"cmsis_nn": 40, "esp_nn": 16}, {"esp_nn": {"rows must have 16 elements and more": 24}}
    ),
    "fc_wzp": Recorded(
        15,
        {"cmsis_nn": 15, "esp_nn": 0},
        {
            "esp_nn": {
                "weights must fit int8 after their zero point is subtracted": 10,
                "rows must have 16 elements and more": 5,
            }
        },
    ),
    "fc_perch": Recorded(
        30, {"cmsis_nn": 30, "esp_nn": 6}, {"esp_nn": {"rows must have 16 elements and more": 24}}
    ),
    "tconv": Recorded(40, {"cmsis_nn": 40}),
    "avgpool": Recorded(
        60, {"cmsis_nn": 60, "esp_nn": 27}, {"esp_nn": {"one image at a time": 33}}
    ),
    "maxpool": Recorded(
        40,
        {"cmsis_nn": 40, "esp_nn": 7},
        {
            "esp_nn": {
                "one image at a time": 18,
                "nothing is computed unless channels are a multiple of 4": 15,
            }
        },
    ),
    "add": Recorded(40, {"cmsis_nn": 40, "esp_nn": 40}),
    "mul": Recorded(
        40,
        {"cmsis_nn": 40, "esp_nn": 5},
        {"esp_nn": {"behind the last whole 8 elements ties are rounded up": 35}},
    ),
    "softmax": Recorded(
        50,
        {"cmsis_nn": 50, "esp_nn": 33},
        {
            "esp_nn": {
                "several rows of 32 elements and more must have a multiple of 16 to lie aligned": 17
            }
        },
    ),
    "softmax_s16": Recorded(
        20, {"cmsis_nn": 20, "esp_nn": 0}, {"esp_nn": {"activations must be int8": 20}}
    ),
    "mean": Recorded(30, {"esp_nn": 30}),
    "act_s16": Recorded(16, {"cmsis_nn": 16}),
}
"""File -> its cases: all go through the reference and the portable kernels."""

ELSEWHERE = {
    "logistic": (20, "tables of 256 entries; tests/ops/test_lookup.py: ours are the same"),
    "hardswish": (
        15,
        "tables, ESP-NN's in fixed point; tests/ops/test_lookup.py: 5 entries differ",
    ),
}
"""Files whose cases are no call of a kernel here: how many, and why."""


def refusals(calls: Sequence[KernelCall], library: str) -> Counter[str]:
    """Why the library's kernels do not take calls, without the numbers -> how many."""
    reasons = (dict(kernel_for(call, library)[1]).get(library) for call in calls)
    return Counter(reason.partition(",")[0] for reason in reasons if reason is not None)


def check_calls(calls: Sequence[KernelCall], file: str) -> None:
    """Reference, portable C and the C of vendor libraries give the expected bytes.

    The libraries' part is done by stand-ins, and by the sources themselves where a variable says
    where they are.

    Args:
        calls: all cases of the file.
        file: its name in RECORDED.
    """
    known = RECORDED[file]
    assert len(calls) == known.cases
    for call in calls:
        reference = specs()[call.op].reference
        assert reference is not None
        _assert_equal(call, reference(call.params, call.inputs)[0], "reference")
    check_c(calls, f"{file}_portable", PORTABLE, None)
    for library, count in known.taken.items():
        taken = [call for call in calls if kernel_for(call, library)[0].library == library]
        assert refusals(calls, library) == Counter(known.refused.get(library, {}))
        assert len(taken) == count
        check_c(taken, f"{file}_{library}", library, None)
        folder = vendor_folder(library)
        if folder is not None:
            check_c(taken, f"{file}_{library}", library, folder)


def kernel_for(call: KernelCall, library: str) -> tuple[Kernel, tuple[tuple[str, str], ...]]:
    return choose_kernel(specs()[call.op], call.params, (library, PORTABLE))


def check_c(calls: Sequence[KernelCall], name: str, library: str, vendor_dir: Path | None) -> None:
    """The C of all calls in one translation unit."""
    files: dict[str, str] = {}
    programs = {call.id: _program(call, library) for call in calls}
    for call in calls:
        program = programs[call.id]
        options = view.EmitOptions(f"case_{call.id}")
        plan = memory.plan_memory(program)
        model = view.build(program, plan, options, model_hash="00", version="test")
        files |= {n.replace(".c", ".inc"): t for n, t in render.render(model).items()}
    sources = sorted(n for n in files if n.endswith(".inc"))
    files[f"{name}.c"] = "".join(f'#include "{n}"\n' for n in sources)
    vendor = None
    if vendor_dir is not None:
        entry = VENDOR_LIBRARIES[library]
        vendor = read_vendor([LibraryUse(entry, entry.functions_in(files.values()))], vendor_dir)
    prefixes = [f"case_{c.id}" for c in calls]
    built = host.build_library(files, prefixes, flags=("-O2",), libraries=(library,), vendor=vendor)
    for call in calls:
        model_c = host.HostModel(built, f"case_{call.id}", programs[call.id].graph)
        model_c.require_planned_scratch()
        feeds = {f"x{i}": value for i, value in enumerate(call.inputs)}
        _assert_equal(call, model_c.run(feeds)["y"], f"C of {library}")


def _assert_equal(call: KernelCall, got: Array, what: str) -> None:
    assert got.dtype == call.expected.dtype
    message = f"{what} of {call.op} {call.id}"
    np.testing.assert_array_equal(got.reshape(call.expected.shape), call.expected, message)


def _program(call: KernelCall, library: str) -> Program:
    names = tuple(f"x{i}" for i in range(len(call.inputs)))
    pairs = [*zip(names, call.inputs, strict=True), ("y", call.expected)]
    tensors = {n: Tensor(n, a.shape, DType.of(a)) for n, a in pairs}
    node = Node(call.op, "node", names, ("y",), None, (call.id,))
    graph = Graph(call.id, (node,), tensors, names, ("y",))
    kernel, refused = kernel_for(call, library)
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
