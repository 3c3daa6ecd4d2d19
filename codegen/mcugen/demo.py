"""`mcugen demo`: the embedded digits example, from ONNX file to a proven firmware project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from mcugen import api, resources
from mcugen.errors import InternalError, MissingExtraError
from mcugen.ir import Array
from mcugen.report.bench_text import CAVEAT
from mcugen.report.check_text import print_check

_BOARD = "pico_w"
_KERNELS = "portable"
"""All of it is here: neither the emulator nor the project needs a library of a vendor's."""

_MODELS = (("float32", "digits"), ("int8", "digits_int8"))


def run_demo(directory: Path, console: Console, *, force: bool = False) -> None:
    """Export both forms of the example below `directory`, check and score them.

    Prints accuracy on the real test images (computed by the generated C), arena, flash, the
    proof, and what an inference takes on the board's emulated processor.

    Raises:
        InternalError: the proof failed.
    """
    folder = resources.examples() / "digits"
    with np.load(folder / "digits.npz") as data:
        images, labels = data["images"], data["labels"]
    for kind, name in _MODELS:
        console.rule(f"digits, {kind}")
        model = api.compile(folder / f"{name}.onnx", board=_BOARD, kernels=_KERNELS)
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
        console.print(f"emulated:   {_emulated(model, folder / f'{name}.npz')}", markup=False)
        console.print(f"project:    {done.directory}", markup=False)
        console.print(f"next:       {done.next_command}", markup=False)


def _emulated(model: api.Model, inputs: Path) -> str:
    """Cycles and time on the board's processor, or the command that makes them measurable."""
    try:
        result = model.bench(inputs)
    except MissingExtraError as missing:
        return f"not measured: {missing.hint}"
    if not result.outputs_equal:
        raise InternalError(f"on {result.cpu}: {result.first_mismatch}")
    assert result.cycles is not None and result.seconds is not None
    return (
        f"{result.cycles:,} cycles on {result.cpu}, {1e3 * result.seconds:.1f} ms at "
        f"{result.clock_hz / 1e6:g} MHz ({CAVEAT}; {result.compiler})"
    )


def _digit(model: api.Model, image: Array) -> int:
    outputs = model(image[None])
    return int(next(iter(outputs.values())).argmax())
