"""Kernel libraries' own sources: no part of the project, used by tests where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path


def vendor_folder(library: str) -> Path | None:
    """The folder that MCUGEN_CMSIS_NN names (or the like for another library), if any."""
    value = os.environ.get(f"MCUGEN_{library.upper()}")
    return Path(value) if value else None
