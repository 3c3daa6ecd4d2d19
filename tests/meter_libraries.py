"""Options for a meter alone, and modules that stand in for its library."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from mcugen.device.meters.base import MeterOptions


def options(argument: str = "", supply_v: float = 3.3) -> MeterOptions:
    return MeterOptions(argument, supply_v, 0.1, None, 0.0, lambda text: None)  # type: ignore[arg-type]


def install(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """A module of that name, and the packages above it, with these members."""
    parts = name.split(".")
    for k in range(1, len(parts) + 1):
        module: Any = types.ModuleType(".".join(parts[:k]))
        module.__path__ = []
        monkeypatch.setitem(sys.modules, ".".join(parts[:k]), module)
    for key, value in members.items():
        setattr(sys.modules[name], key, value)
