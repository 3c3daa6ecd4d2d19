"""Board files: TOML with typed reads, inheritance by `base`, and complaints that name the key."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcugen.errors import UsageError

Scalar = str | int | bool


def read_with_bases(
    path: Path, find: Callable[[str, Path], Path], seen: tuple[Path, ...] = ()
) -> tuple[dict[str, Any], tuple[Path, ...]]:
    """The file's tables laid over those of its base, and the folders of both.

    Args:
        path: the board file.
        find: (name or path in `base`, folder that a relative path starts at) -> board file.
        seen: the files that led here.

    Raises:
        UsageError: a file is no readable TOML, or the bases go in a circle.
    """
    if path.resolve() in seen:
        raise UsageError(f"{path}: 'base' leads back to the file itself")
    tables = read_toml(path, "board file")
    base = tables.pop("base", None)
    folder = path.resolve().parent
    if base is None:
        return tables, (folder,)
    if not isinstance(base, str):
        raise UsageError(f"{path}: 'base' must be the name or path of a board, got {base!r}")
    below, folders = read_with_bases(find(base, folder), find, (*seen, path.resolve()))
    return _merged(below, tables), (folder, *folders)


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The tables of a file.

    Args:
        path: the file.
        what: it is, for errors.

    Raises:
        UsageError: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{what} {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{what} {path} is no TOML: {error}") from error


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            merged[key] = _merged(old, value)
        else:
            merged[key] = value
    return merged


class Table:
    """One table of a board file: typed reads, and a complaint about keys nobody read."""

    def __init__(self, path: Path, name: str, content: Any) -> None:
        self._path, self._name = path, name
        if not isinstance(content, dict):
            raise UsageError(f"{path}: '{name}' must be a table")
        self._content = dict(content)

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        value = self._take(key, default, str, "a string")
        return str(value)

    def flag(self, key: str, default: bool) -> bool:
        """A boolean."""
        return bool(self._take(key, default, bool, "true or false"))

    def count(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        """A whole number of at least this."""
        value = self._take(key, default, int, "a whole number")
        if isinstance(value, bool) or value < least:
            raise self._wrong(key, f"a number of at least {least}", value)
        return int(value)

    def number(self, key: str, default: float) -> float:
        """A number above 0."""
        value = self._take(key, default, int | float, "a number")
        if isinstance(value, bool) or not 0 < value < float("inf"):
            raise self._wrong(key, "a number above 0", value)
        return float(value)

    def tables(self, key: str) -> tuple[Table, ...]:
        """A list of tables, at least one."""
        value = self._take(key, [], list, "a list of tables")
        if not value:
            raise self._wrong(key, f"a list of tables [[{key}]]", value)
        return tuple(Table(self._path, f"{key} {k}", item) for k, item in enumerate(value, 1))

    def lines(self, key: str) -> tuple[str, ...]:
        """A list of strings, empty by default."""
        value = self._take(key, [], list, "a list of strings")
        if not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of strings", value)
        return tuple(value)

    def table(self, key: str, default: dict[str, Any] | None = None) -> Table:
        """A table within this one."""
        value = self._take(key, default, dict, "a table")
        return Table(self._path, key, value)

    def scalars(self) -> dict[str, Scalar]:
        """All keys that were not read yet."""
        for key, value in self._content.items():
            if not isinstance(value, str | int):
                raise self._wrong(key, "a string or a whole number", value)
        values, self._content = self._content, {}
        return values

    def finish(self) -> None:
        """Complain about keys that nobody has read."""
        if self._content:
            keys = ", ".join(f"'{k}'" for k in self._content)
            raise UsageError(f"{self._path}: unknown {keys} in {self._name}")

    def _take(self, key: str, default: Any, kind: Any, wanted: str) -> Any:
        value = self._content.pop(key, default)
        if value is None:
            raise UsageError(f"{self._path}: '{key}' is missing in {self._name}")
        if not isinstance(value, kind):
            raise self._wrong(key, wanted, value)
        return value

    def _wrong(self, key: str, wanted: str, value: Any) -> UsageError:
        return UsageError(f"{self._path}: '{key}' in {self._name} must be {wanted}, got {value!r}")
