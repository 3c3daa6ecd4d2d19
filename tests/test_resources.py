"""The data folders are found in a checkout; `test_wheel.py` looks at a wheel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcugen import resources
from mcugen.errors import InternalError

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("find", "name"),
    [
        (resources.templates, "templates"),
        (resources.targets, "targets"),
        (resources.firmware, "firmware"),
        (resources.examples, "examples"),
    ],
)
def test_a_checkout_uses_its_own_folders(find: Callable[[], Path], name: str) -> None:
    assert find() == ROOT / name


def test_a_wheel_is_preferred_to_what_lies_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "mcugen"
    (package / "_data" / "templates").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.templates() == package / "_data" / "templates"


def test_a_broken_installation_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "a" / "b")
    with pytest.raises(InternalError, match="the folder 'targets' is missing") as caught:
        resources.targets()
    assert caught.value.exit_code == 70
