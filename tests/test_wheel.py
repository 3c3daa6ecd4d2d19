"""The wheel, installed alone into a fresh environment, works from another directory."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import mcugen

ROOT = Path(__file__).resolve().parents[1]

pytest.importorskip("build")
pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True, timeout=120)
    (built,) = out.glob("mcugen-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel alone."""
    home = tmp_path_factory.mktemp("env")
    venv.create(home, with_pip=False)
    paths = sysconfig.get_paths("venv", vars={"base": str(home), "platbase": str(home)})
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = ["--target", paths["purelib"], str(wheel)]
    subprocess.run([*pip, *target], check=True, capture_output=True, timeout=120)
    return Path(paths["scripts"]) / "python"


def run(python: Path, cwd: Path, *arguments: str) -> str:
    """Run that Python in `cwd`; it takes the dependencies, not mcugen, from this environment."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    env["PYTHONPATH"] = sysconfig.get_path("purelib")
    done = subprocess.run(
        [str(python), *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sources(folder: str) -> list[str]:
    """The files of a data folder that are not ignored, below the project's top."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(done.stdout.splitlines())


def test_the_wheel_holds_everything_once(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for folder in ("templates", "targets", "firmware", "examples"):
        inside = sorted(n for n in names if n.startswith(f"mcugen/_data/{folder}/"))
        assert inside == [f"mcugen/_data/{name}" for name in sources(folder)]
    assert "mcugen/py.typed" in names
    assert {n.rpartition("/")[2] for n in names if "/licenses/" in n} == {"LICENSE", "NOTICE"}
    tops = {n.split("/")[0] for n in names}
    assert tops == {"mcugen", f"mcugen-{mcugen.__version__}.dist-info"}


def test_the_installed_package_finds_its_own_folders(installed: Path, tmp_path: Path) -> None:
    code = "import mcugen.resources as r; print(r.templates()); print(r.examples() / 'digits')"
    for line in run(installed, tmp_path, "-c", code).splitlines():
        assert Path(line).is_dir()
        assert installed.parents[1] in Path(line).parents


needs_cli = pytest.mark.skipif(
    importlib.util.find_spec("mcugen.__main__") is None, reason="there is no command line yet"
)


@needs_cli
def test_help_of_the_installed_command(installed: Path, tmp_path: Path) -> None:
    text = run(installed, tmp_path, "-m", "mcugen", "--help")
    assert all(command in text for command in ("export", "check", "inspect", "boards", "ops"))


@needs_cli
@pytest.mark.parametrize("name", ["digits", "digits_int8"])
def test_export_from_another_directory(installed: Path, tmp_path: Path, name: str) -> None:
    model = ROOT / "examples" / "digits" / f"{name}.onnx"
    arguments = ("export", str(model), "--board", "host", "-o", "project")
    run(installed, tmp_path, "-m", "mcugen", *arguments)
    assert [p.name for p in (tmp_path / "project").rglob(f"{name}.h")] == [f"{name}.h"]
