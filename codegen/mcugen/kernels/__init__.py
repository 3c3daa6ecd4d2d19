"""Kernel libraries: which there are, and which a run may take kernels from."""

from __future__ import annotations

from mcugen.errors import UsageError
from mcugen.ops.spec import Arithmetic

LIBRARIES = ("portable",)
"""Kernel libraries that operators have kernels for."""


def libraries_for(choice: str, board_default: str, arithmetic: Arithmetic) -> tuple[str, ...]:
    """The libraries `--kernels CHOICE` allows, portable always last.

    Raises:
        UsageError: an unknown choice, or a vendor library with `--arithmetic onnx`, which
            vendor kernels do not compute.
    """
    if choice not in ("auto", *LIBRARIES):
        raise UsageError(f"--kernels must be one of auto, {', '.join(LIBRARIES)}, got '{choice}'")
    wanted = board_default if choice == "auto" else choice
    if wanted not in LIBRARIES or arithmetic is Arithmetic.ONNX:
        wanted = "portable"
    return tuple(dict.fromkeys((wanted, "portable")))
