"""Options, folders and profiles that all tests share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]

hypothesis.settings.register_profile(
    "mcugen", deadline=None, print_blob=True, derandomize="CI" in os.environ
)
hypothesis.settings.load_profile("mcugen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the recorded texts with what the code gives now, instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Give all workers, and the next run, one folder for compiled C (`MCUGEN_CACHE`)."""
    if "MCUGEN_CACHE" not in os.environ:
        cache: pytest.Cache | None = getattr(config, "cache", None)
        folder = cache.mkdir("mcugen") if cache else Path(tempfile.mkdtemp(prefix="mcugen-cache-"))
        os.environ["MCUGEN_CACHE"] = str(folder)


def _folder_from_env(variable: str, what: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: {what} are not part of the project")
    folder = Path(value)
    assert folder.is_dir(), f"{variable} is set to {value}, which is no folder"
    return folder


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The folder of real models, `NAME.onnx` beside `NAME.npz`."""
    return _folder_from_env("MCUGEN_MODELS", "the real models")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """The folder of recorded kernel cases, `KERNEL.npz`."""
    return _folder_from_env("MCUGEN_GOLDEN", "the recorded kernel cases")


@pytest.fixture(scope="session")
def examples_dir() -> Path:
    """The project's own example models."""
    return ROOT / "examples"


@pytest.fixture
def check_golden(pytestconfig: pytest.Config) -> Callable[[Path, str], None]:
    """(file, text): the file holds exactly the text; `--update-golden` writes it instead."""

    def check(path: Path, text: str) -> None:
        if pytestconfig.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        recorded = path.read_text(encoding="utf-8") if path.is_file() else ""
        hint = f"{path.name} is out of date; after a look at the change: pytest --update-golden"
        assert text == recorded, hint

    return check
