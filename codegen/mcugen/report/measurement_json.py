"""A measurement.json back as a Measurement: checked, since the file comes from a user."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from mcugen.device.measurement import KIND, SCHEMA, Measurement
from mcugen.errors import ModelError

_T = TypeVar("_T")

FILE = "measurement.json"
_SIGNED = ("net_energy_j", "start_s", "end_s", "active_w", "idle_w", "peak_a")
"""Numbers that noise, or the choice of a time's origin, may make negative."""


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ModelError: the file cannot be read, or holds no JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path}: must hold a JSON object, got {_named(value)}")
    return value


def read_measurement(path: Path) -> Measurement:
    """The measurement in a file.

    Raises:
        ModelError: as `read_json`, or what `measurement_of` says.
    """
    return measurement_of(read_json(path), path)


def measurement_of(value: dict[str, Any], path: Path) -> Measurement:
    """The measurement that a JSON object says; keys that are not known are passed over.

    Within a schema newer versions may add keys; a new meaning of a key is a new schema.

    Raises:
        ModelError: another kind or schema, a key missing, or a value of another type or range;
            it names the file and the key.
    """
    if value.get("kind") != KIND:
        raise ModelError(
            f"{path}: kind must be '{KIND}', got {_named(value.get('kind'))}",
            hint=f"`mcugen measure` writes {FILE}",
        )
    if value.get("schema") != SCHEMA:
        raise ModelError(
            f"{path}: schema must be {SCHEMA}, got {_named(value.get('schema'))}",
            hint="it was written by another version of mcugen: use that one, or measure again",
        )
    found = record(Measurement, value, path)
    for kind, name in found.files.items():
        if not name or name != Path(name).name or "\\" in name:
            raise ModelError(f"{path}: files.{kind} must be a file's name, got '{name}'")
    for index, window in enumerate(found.windows):
        if window.inferences < 1 or window.seconds <= 0:
            raise ModelError(f"{path}: windows[{index}] must hold an inference and take time")
    return found


def record(cls: type[_T], value: Any, path: Path, where: str = "") -> _T:
    """The dataclass whose fields stand in a JSON object; `where` is the object's own key.

    Raises:
        ModelError: a key is missing, or its value is of another type or range.
    """
    if not isinstance(value, dict):
        raise ModelError(f"{path}: {where or 'it'} must be an object, got {_named(value)}")
    hints = typing.get_type_hints(cls)
    found = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        key = f"{where}.{field.name}" if where else field.name
        if field.name in value:
            found[field.name] = _value(hints[field.name], value[field.name], path, key)
        elif _needed(field):
            raise ModelError(f"{path}: the key '{key}' is missing")
    return cls(**found)


def _needed(field: dataclasses.Field[Any]) -> bool:
    no_value = dataclasses.MISSING
    return field.default is no_value and field.default_factory is no_value


def _value(kind: Any, value: Any, path: Path, key: str) -> Any:
    """The value as an annotation wants it: records, X | None, tuples, texts by name, scalars."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return None if value is None else _value(inner[0], value, path, key)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return record(kind, value, path, key)
    if origin is tuple:
        items = _of_type(list, "a list", value, path, key)
        return tuple(_value(inner[0], v, path, f"{key}[{i}]") for i, v in enumerate(items))
    if origin is dict:
        items = _of_type(dict, "an object", value, path, key)
        return {k: _value(inner[1], v, path, f"{key}.{k}") for k, v in items.items()}
    if kind is float or kind is int:
        return _number(kind, value, path, key)
    return _of_type(kind, "true or false" if kind is bool else "a text", value, path, key)


def _of_type(kind: type[Any], title: str, value: Any, path: Path, key: str) -> Any:
    if not isinstance(value, kind):
        raise ModelError(f"{path}: {key} must be {title}, got {_named(value)}")
    return value


def _number(kind: type[Any], value: Any, path: Path, key: str) -> Any:
    """A finite number, whole where the field is, not negative where that means nothing."""
    title = "a whole number" if kind is int else "a number"
    allowed = int if kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise ModelError(f"{path}: {key} must be {title}, got {_named(value)}")
    if abs(value) > 1e300 or math.isnan(value):
        raise ModelError(f"{path}: {key} must be finite, got {_named(value)}")
    if value < 0 and key.rpartition(".")[2] not in _SIGNED:
        raise ModelError(f"{path}: {key} must not be negative, got {value}")
    return kind(value)


def _named(value: Any) -> str:
    """A value for a message: short, as JSON has it."""
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
