"""Where the data folders are: at the top of a checkout, or below `mcugen/_data` in a wheel."""

from __future__ import annotations

from pathlib import Path

from mcugen.errors import InternalError

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    """The data folder `name`.

    Raises:
        InternalError: it is in neither place, so the installation is broken.
    """
    places = (_PACKAGE / "_data" / name, _PACKAGE.parents[1] / name)
    for place in places:
        if place.is_dir():
            return place
    raise InternalError(f"the folder '{name}' is missing from the installation: no {places[0]}")


def templates() -> Path:
    """The Jinja templates of the model's C, one folder per kernel library."""
    return _folder("templates")


def targets() -> Path:
    """The boards, one folder each."""
    return _folder("targets")


def firmware() -> Path:
    """The C that every generated project shares."""
    return _folder("firmware")


def examples() -> Path:
    """The example models with their data."""
    return _folder("examples")


def standins(library: str) -> Path:
    """Our own C with the interface and the results of a vendor's kernel library, for the host."""
    return firmware() / "standins" / library
