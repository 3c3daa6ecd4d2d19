"""Fresh names for values, shared by everything in one import that makes any."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """The names of one graph's values, those of the file first."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """`base`, or `base__2`, `base__3` ...: a name that no value has or will have."""
        name, count = base, self._counts.get(base, 1)
        while name in self._taken:
            count += 1
            name = f"{base}__{count}"
        self._counts[base] = count
        self._taken.add(name)
        return name
