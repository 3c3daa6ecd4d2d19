"""mcugen: ONNX models to C and firmware projects for microcontrollers, proved bit for bit.

`mcugen.load`, `mcugen.compile` and `mcugen.Model` are those of `mcugen.api`; `Normalization`,
`argmax` and `topk` those of `mcugen.io_helpers`. Both are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcugen.api import Model, compile, load
    from mcugen.io_helpers import Normalization, argmax, topk

__all__ = ["Model", "Normalization", "__version__", "argmax", "compile", "load", "topk"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The Python API, without importing ONNX and the rest for `import mcugen.ir` alone."""
    if name in ("Model", "compile", "load"):
        return getattr(importlib.import_module("mcugen.api"), name)
    if name in ("Normalization", "argmax", "topk"):
        return getattr(importlib.import_module("mcugen.io_helpers"), name)
    raise AttributeError(f"module 'mcugen' has no attribute '{name}'")
