"""Reports as JSON text."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """Indented JSON that every parser takes: it has no infinity and no NaN, they become null."""
    return json.dumps(_finite(value), indent=2, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
