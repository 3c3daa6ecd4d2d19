"""PlatformIO builds projects for the ESP32-S3 that call ESP-NN, stand-ins in place of its files.

Offline, as in test_platformio.py; the stand-in for ESP-IDF takes components from a folder.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from exported import example, write_project
from mcugen import api
from mcugen.host import standin_files
from mcugen.kernels import ESP_NN
from vendor_sources import vendor_folder

standin = pytest.importorskip("e2e.standin_core")


def model(name: str = "digits_int8", kernels: str = "esp_nn") -> api.Model:
    return example(name, board="esp32s3", kernels=kernels)


def core_with(folder: Path, version: str) -> Path:
    core = standin.make_core(folder, model().target)
    files = standin_files("esp_nn")
    standin.make_component(core, model().target, ESP_NN.component, version, files)
    return Path(core)


def build(project: Path, core: Path) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = standin.pio(core, "run", cwd=project)
    return done


def test_a_project_is_built_with_the_pinned_component_and_passes(tmp_path: Path) -> None:
    project = write_project(model(), tmp_path / "out")
    done = build(project, core_with(tmp_path / "core", ESP_NN.version))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stdout + done.stderr
    (program,) = project.glob(".pio/build/*/firmware.elf")
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0
    assert "PASS" in ran.stdout


def test_the_configuration_has_no_warning(tmp_path: Path) -> None:
    project = write_project(model(), tmp_path / "out")
    arguments = ("project", "config", "--lint", "--json-output")
    done = standin.pio(tmp_path / "core", *arguments, cwd=project)
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == {"errors": [], "warnings": []}


def test_another_version_is_not_taken(tmp_path: Path) -> None:
    project = write_project(model(), tmp_path / "out")
    done = build(project, core_with(tmp_path / "core", "1.2.4"))
    assert done.returncode != 0
    assert "component espressif/esp-nn 1.2.3 is not in the registry" in done.stdout + done.stderr


def test_inexact_rounding_is_an_error(tmp_path: Path) -> None:
    project = write_project(model(), tmp_path / "out")
    defaults = project / "sdkconfig.defaults"
    text = defaults.read_text()
    assert "# CONFIG_NN_SKIP_NUDGE is not set\n" in text and "CONFIG_NN_OPTIMIZED=y\n" in text
    defaults.write_text(text.replace("# CONFIG_NN_SKIP_NUDGE is not set", "CONFIG_NN_SKIP_NUDGE=y"))
    done = build(project, core_with(tmp_path / "core", ESP_NN.version))
    assert done.returncode != 0
    assert "ESP-NN must be built without CONFIG_NN_SKIP_NUDGE" in done.stdout + done.stderr


def test_a_model_that_does_not_call_it_does_not_ask_for_it(tmp_path: Path) -> None:
    for name, kernels in (("digits_int8", "portable"), ("digits", "esp_nn")):
        project = write_project(model(name, kernels), tmp_path / name)
        assert not (project / "src" / "idf_component.yml").exists()
        assert "CONFIG_NN" not in (project / "sdkconfig.defaults").read_text()
        assert "ESP-NN" not in (project / "NOTICE").read_text()
        assert "managed_components" not in (project / ".gitignore").read_text()


def test_the_notice_names_the_library(tmp_path: Path) -> None:
    project = write_project(model(), tmp_path / "out")
    text = (project / "NOTICE").read_text()
    assert f"ESP-NN 1.2.3, commit {ESP_NN.commit}" in text
    assert "Espressif Systems (Shanghai) CO LTD. Licence: Apache-2.0." in text
    assert "managed_components/\n" in (project / ".gitignore").read_text()


@pytest.mark.parametrize("emit", ["project", "lib"])
def test_the_manifest_is_valid(tmp_path: Path, emit: str) -> None:
    manager = pytest.importorskip("idf_component_tools.manager")
    done = model().export(tmp_path / "out", emit=emit)
    folder = done.directory / "src" if emit == "project" else done.directory
    manifest = manager.ManifestManager(folder, name=folder.name)
    manifest.validate()
    assert manifest.validation_errors == []
    (wanted,) = manifest.manifest.requirements
    assert (wanted.name, wanted.version) == (ESP_NN.component, f"=={ESP_NN.version}")


def test_copies_take_the_place_of_the_component_in_a_library_alone(tmp_path: Path) -> None:
    """In a project they do not: only ESP-IDF's build knows the assembly of the chip."""
    source = vendor_folder("esp_nn")
    if source is None:
        pytest.skip("MCUGEN_ESP_NN is not set: its sources are no part of the project")
    library = model().export(tmp_path / "lib", emit="lib", vendor_dir=source).directory
    assert (library / "src" / "esp_nn_conv_ansi.c").is_file()
    assert ESP_NN.component not in (library / "idf_component.yml").read_text()
    project = model().export(tmp_path / "out", vendor_dir=source).directory
    assert not list(project.rglob("esp_nn_conv_ansi.c"))
    assert ESP_NN.component in (project / "src" / "idf_component.yml").read_text()
