"""PlatformIO builds projects that call a vendor's kernel library, stand-ins in place of its files.

Offline, as in test_platformio.py. What is shown: the manifest that the project gives to the
fetched repository works, its source list is complete and holds nothing else, and so with copies.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from exported import example, write_project
from mcugen import api
from mcugen.kernels import CMSIS_NN
from mcugen.toolchain import ForeignSources
from mcugen.vendor import LibraryUse, libraries_used
from vendor_sources import made_up_sources

standin = pytest.importorskip("e2e.standin_core")


def model(name: str = "digits_int8") -> api.Model:
    return example(name, board="pico_w", kernels="cmsis_nn")


def use_of(name: str = "digits_int8") -> LibraryUse:
    (use,) = libraries_used(model(name).compiled)
    return use


def copies() -> ForeignSources:
    """What `--vendor-dir` reads, had the library our stand-ins in its files."""
    files = made_up_sources(use_of())
    wanted = (*use_of().files, "LICENSE")
    return ForeignSources("CMSIS-NN", {n: files[n] for n in wanted}, ("Include",))


def build(folder: Path, core: Path) -> str:
    standin.make_core(core, model().target)
    done = standin.pio(core, "run", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stdout + done.stderr
    (program,) = folder.glob(".pio/build/*/firmware.elf")
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0
    assert "PASS" in ran.stdout
    return str(done.stdout)


def test_the_configuration_has_no_warning(tmp_path: Path) -> None:
    folder = write_project(model(), tmp_path / "out")
    arguments = ("project", "config", "--lint", "--json-output")
    done = standin.pio(tmp_path / "core", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == {"errors": [], "warnings": []}


def test_a_fetched_library_is_built_by_the_manifest_of_the_project(tmp_path: Path) -> None:
    folder = write_project(model(), tmp_path / "out")
    fetched = folder / ".pio" / "libdeps" / "pico_w" / "CMSIS-NN"
    url = f"{CMSIS_NN.repository}#{CMSIS_NN.commit}"
    standin.make_fetched_library(fetched, url, made_up_sources(use_of()))
    build(folder, tmp_path / "core")
    objects = {p.name for p in (folder / ".pio" / "build").rglob("arm_*.o")}
    assert objects == {f"{Path(name).name}.o" for name in use_of().sources}


def test_without_the_library_the_build_says_what_is_missing(tmp_path: Path) -> None:
    folder = write_project(model(), tmp_path / "out")
    ini = folder / "platformio.ini"
    lines = [n for n in ini.read_text().splitlines() if CMSIS_NN.commit not in n]
    ini.write_text("\n".join(n for n in lines if n != "lib_deps =") + "\n")
    standin.make_core(tmp_path / "core", model().target)
    done = standin.pio(tmp_path / "core", "run", cwd=folder)
    assert done.returncode != 0
    assert "CMSIS-NN is not in" in done.stdout + done.stderr


def test_copies_of_the_library_are_built(tmp_path: Path) -> None:
    folder = write_project(model(), tmp_path / "out", vendor=copies())
    library = folder / "lib" / "CMSIS-NN"
    assert not (folder / "cmsis_nn_manifest.py").exists()
    assert "lib_deps" not in (folder / "platformio.ini").read_text()
    assert (library / "CMSIS-NN-LICENSE").read_text() == "Apache-2.0\n"
    assert (library / "include" / "Internal" / "arm_nn_config.h").is_file()
    build(folder, tmp_path / "core")
    done = standin.pio(tmp_path / "core", "pkg", "pack", "-o", str(tmp_path), cwd=library)
    assert done.returncode == 0, done.stdout + done.stderr
