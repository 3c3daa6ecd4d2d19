"""`mcugen demo`: the embedded digits example, from ONNX file to a proven firmware project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from mcugen import api, resources
from mcugen.errors import InternalError
from mcugen.ir import Array
from mcugen.report.check_text import print_check

_BOARD = "pico_w"
_MODELS = (("float32", "digits"), ("int8", "digits_int8"))


def run_demo(directory: Path, console: Console, *, force: bool = False) -> None:
    """Export both forms of the example below `directory`, check and score them.

    Prints accuracy on the real test images (computed by the generated C), arena, flash and
    the proof.

    Raises:
        InternalError: the proof failed.
    """
    folder = resources.examples() / "digits"
    with np.load(folder / "digits.npz") as data:
        images, labels = data["images"], data["labels"]
    for kind, name in _MODELS:
        console.rule(f"digits, {kind}")
        model = api.compile(folder / f"{name}.onnx", board=_BOARD)
        result = model.check(folder / f"{name}.npz")
        print_check(result, console)
        if not result.ok:
            raise InternalError(f"the example {name} failed its check")
        right = sum(
            _digit(model, image) == label for image, label in zip(images, labels, strict=True)
        )
        done = model.export(directory / name, inputs=folder / f"{name}.npz", force=force)
        report = done.report
        optimal = ", the lower bound" if report.arena_optimal else ""
        console.print(
            f"accuracy:   {right} of {len(labels)} real test images ({right / len(labels):.2%})"
        )
        console.print(f"arena:      {report.arena_bytes:,} bytes{optimal}")
        console.print(f"flash:      {report.flash_bytes:,} bytes ({report.footprint.flash_source})")
        console.print(f"project:    {done.directory}", markup=False)
        console.print(f"next:       {done.next_command}", markup=False)


def _digit(model: api.Model, image: Array) -> int:
    outputs = model(image[None])
    return int(next(iter(outputs.values())).argmax())
