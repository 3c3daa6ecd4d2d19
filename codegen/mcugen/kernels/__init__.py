"""Kernel libraries: which there are, and which a run may take kernels from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from mcugen.errors import UsageError
from mcugen.kernels.cmsis_nn import CMSIS_NN
from mcugen.kernels.esp_nn import ESP_NN
from mcugen.kernels.library import KernelLibrary
from mcugen.ops.spec import Arithmetic

PORTABLE = "portable"
"""Our own kernels, which every operator has; no KernelLibrary."""

VENDOR_LIBRARIES: Mapping[str, KernelLibrary] = MappingProxyType(
    {library.name: library for library in (CMSIS_NN, ESP_NN)}
)
"""Libraries of vendors by name."""

LIBRARIES = (PORTABLE, *VENDOR_LIBRARIES)
"""Kernel libraries that operators have kernels for."""


def libraries_for(
    choice: str,
    board: str,
    board_default: str,
    board_libraries: Collection[str],
    arithmetic: Arithmetic,
) -> tuple[str, ...]:
    """The libraries `--kernels CHOICE` allows, portable always last.

    Args:
        choice: auto, portable or a vendor library.
        board: the board's title, for messages.
        board_default: what `auto` stands for on this board.
        board_libraries: vendor libraries that exist for the board's core.
        arithmetic: vendor kernels compute `tflite` alone.

    Raises:
        UsageError: an unknown choice, a library of another processor, or a vendor library with
            `--arithmetic onnx`.
    """
    if choice not in ("auto", *LIBRARIES):
        raise UsageError(f"--kernels must be one of auto, {', '.join(LIBRARIES)}, got '{choice}'")
    wanted = board_default if choice == "auto" else choice
    if wanted == PORTABLE or (choice == "auto" and arithmetic is Arithmetic.ONNX):
        return (PORTABLE,)
    if wanted not in board_libraries:
        known = ", ".join(("auto", PORTABLE, *sorted(board_libraries)))
        raise UsageError(f"--kernels for {board} must be one of {known}, got '{wanted}'")
    if arithmetic is Arithmetic.ONNX:
        raise UsageError(
            f"--kernels {wanted} computes --arithmetic tflite alone, got onnx",
            hint="--arithmetic onnx takes portable kernels",
        )
    return (wanted, PORTABLE)


def vendor_libraries(names: Iterable[str]) -> tuple[KernelLibrary, ...]:
    """The vendor libraries among kernel library names, in order."""
    return tuple(VENDOR_LIBRARIES[n] for n in names if n != PORTABLE)
