"""Recorded cases that ESP-NN does not take as a whole, in the parts that it does take.

It takes one image or aligned row at a time and multiplies whole vectors: batches are taken apart,
and multiplications cut. What is left is refused for the reasons that are listed; of fully connected
layers that is all, their rows being too short or odd.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goldencase import GoldenCase, KernelCall, check_c, golden_cases, kernel_for
from kernel_calls import average, conv, depthwise, maximum, multiplication, softmax
from mcugen.ir import Array
from vendor_sources import vendor_folder

Call = tuple[str, Any, tuple[Array, ...]]


def part(case: GoldenCase, name: str, changes: dict[str, int], **arrays: Array) -> GoldenCase:
    return dataclasses.replace(
        case,
        id=f"{case.id}_{name}",
        params={**case.params, **changes},
        arrays={**case.arrays, **arrays},
    )


def each(case: GoldenCase, count: str) -> Iterator[GoldenCase]:
    """The images or rows of a batch; nothing when it is one."""
    number = case.params[count]
    for i in range(number if number > 1 else 0):
        x, y = case.array("x")[i : i + 1], case.array("y")[i : i + 1]
        yield part(case, str(i), {count: 1}, x=x, y=y)


def vectors(case: GoldenCase) -> Iterator[GoldenCase]:
    """The first whole 8 elements of a multiplication that has others."""
    size = case.params["size"] // 8 * 8
    if 0 < size < case.params["size"]:
        names = ("x1", "x2", "y")
        yield part(case, "whole", {"size": size}, **{n: case.array(n)[:size] for n in names})


FILES: dict[str, tuple[Callable[[GoldenCase], Call], str, int, dict[str, int]]] = {
    "conv": (
        conv,
        "n",
        72,
        {
            "images smaller than the window need stride 1": 6,
            "padding behind may be at most that in front": 10,
        },
    ),
    "dw": (depthwise, "n", 46, {"is computed in plain C": 18}),
    "avgpool": (average, "n", 66, {}),
    "maxpool": (maximum, "n", 10, {"nothing is computed unless channels are a multiple of 4": 26}),
    "softmax": (softmax, "rows", 57, {}),
    "mul": (multiplication, "", 32, {}),
}
"""File -> its operator, what counts its parts, how many are taken, why others are not."""


def call_of(make: Callable[[GoldenCase], Call], case: GoldenCase) -> KernelCall:
    return KernelCall(case.id, *make(case), case.array("y"))


def refusal(call: KernelCall) -> str | None:
    """Why ESP-NN does not take it, without the numbers."""
    kernel, refused = kernel_for(call, "esp_nn")
    return None if kernel.library == "esp_nn" else refused[0][1].partition(",")[0]


@pytest.mark.parametrize("file", FILES)
def test_parts(golden_dir: Path, file: str) -> None:
    make, count, taken, reasons = FILES[file]
    wholes = [c for c in golden_cases(golden_dir, file) if refusal(call_of(make, c)) is not None]
    parts = [p for case in wholes for p in (each(case, count) if count else vectors(case))]
    calls = [call_of(make, p) for p in parts]
    found = [call for call in calls if refusal(call) is None]
    refused = Counter(told for call in calls if (told := refusal(call)) is not None)
    assert (len(found), dict(refused)) == (taken, reasons)
    for folder in {None, vendor_folder("esp_nn")}:
        check_c(found, f"{file}_parts", "esp_nn", folder)
