"""Problems that make no sense are refused when they are built."""

from __future__ import annotations

from typing import Any

import pytest

from mcugen.errors import InternalError
from mcugen.plan import Buffer, Problem, Task

A, B = Buffer("a", 10), Buffer("b", 20)
STEP = Task("step", ("a",), ("b",))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"buffers": (A, B, A)}, "two buffers are named 'a'"),
        ({"tasks": (STEP, STEP)}, "two tasks are named 'step'"),
        ({"buffers": (A, Buffer("b", -1))}, "'b' has a negative size"),
        ({"alignment": 0}, "alignment must be positive"),
        ({"inputs": ("a", "z")}, "the inputs: no buffer is named 'z'"),
        ({"outputs": ("z",)}, "the outputs: no buffer is named 'z'"),
        ({"preserve": ("z",)}, "the preserved buffers: no buffer is named 'z'"),
        ({"tasks": (Task("t", ("z",), ("b",)),)}, "task 't': no buffer is named 'z'"),
        ({"tasks": (Task("t", ("a",), ("b",), -4),)}, "negative scratch"),
        ({"tasks": (Task("t", ("a",), ("b",), 0, (("a", "b"),)),)}, "in-place pair"),
        ({"inputs": ()}, "task 'step' reads buffer 'a', which nothing wrote before"),
        ({"tasks": ()}, "buffer 'b' is kept to the end, but nothing writes it"),
    ],
)
def test_refusals(changes: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {
        "buffers": (A, B),
        "tasks": (STEP,),
        "inputs": ("a",),
        "outputs": ("b",),
    }
    Problem(**parts)
    with pytest.raises(InternalError, match=message):
        Problem(**(parts | changes))
