"""The operator registry: `SPECS` and `EXPANSIONS` of every module of `mcugen.ops`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import mcugen.ops
from mcugen.errors import InternalError
from mcugen.ops.spec import Expansion, FromOnnx, OpSpec


def _modules() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(mcugen.ops.__path__, "mcugen.ops."))


@cache
def specs() -> Mapping[str, OpSpec]:
    """Internal operator name -> OpSpec.

    Raises:
        InternalError: a name is registered by two modules; both are named.
    """
    found: dict[str, OpSpec] = {}
    owner: dict[str, str] = {}
    for module in _modules():
        for spec in getattr(importlib.import_module(module), "SPECS", ()):
            if spec.name in found:
                raise InternalError(
                    f"operator {spec.name} is registered by {owner[spec.name]} and {module}"
                )
            found[spec.name], owner[spec.name] = spec, module
    return MappingProxyType(found)


@cache
def expansions() -> Mapping[str, Expansion]:
    """ONNX operator -> how others compute it.

    Raises:
        InternalError: two modules expand the same ONNX operator.
    """
    found: dict[str, Expansion] = {}
    for module in _modules():
        for key, expansion in getattr(importlib.import_module(module), "EXPANSIONS", {}).items():
            if key in found:
                raise InternalError(f"ONNX operator {key} is imported twice")
            found[key] = expansion
    return MappingProxyType(found)


@cache
def importers() -> Mapping[str, FromOnnx]:
    """ONNX operator (`Conv`, `com.microsoft::QLinearAdd`) -> from_onnx.

    Raises:
        InternalError: two operators import the same ONNX operator.
    """
    found = {key: expansion.from_onnx for key, expansion in expansions().items()}
    for spec in specs().values():
        for key, from_onnx in spec.onnx.items():
            if key in found:
                raise InternalError(f"ONNX operator {key} is imported twice")
            found[key] = from_onnx
    return MappingProxyType(found)
