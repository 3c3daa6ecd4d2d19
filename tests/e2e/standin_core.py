"""A PlatformIO core folder with everything in it that `pio run` would download.

SCons comes from PyPI; each platform is a stand-in that PlatformIO takes for the pinned one: it has
its name and its pin, builds with the host's compiler, and its frameworks are a few headers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcugen.targets import Target

pytest.importorskip("platformio")
pytest.importorskip("SCons")

from platformio.dependencies import get_core_dependencies
from platformio.package.meta import PackageMetadata, PackageSpec

STANDIN = Path(__file__).parent / "standin"
_ZIG = f"{sys.executable} -m ziglang"


def make_core(folder: Path, target: Target) -> Path:
    """A core folder that serves the target's platform."""
    scons = folder / "packages" / "tool-scons"
    spec = PackageSpec(
        owner="platformio", name="tool-scons", requirements=get_core_dependencies()["tool-scons"]
    )
    _package(scons, "tool", "tool-scons", "4.41101.0", spec)
    (scons / "scons.py").write_text("from SCons.Script.Main import main\nmain()\n")
    _platform(folder, target)
    return folder


def _package(folder: Path, kind: str, name: str, version: str, spec: PackageSpec) -> None:
    folder.mkdir(parents=True)
    manifest = {"name": name, "version": version, "description": "a stand-in"}
    (folder / "package.json").write_text(json.dumps(manifest))
    PackageMetadata(kind, name, version, spec).dump(str(folder / ".piopm"))


def _platform(core: Path, target: Target) -> None:
    wanted = str(target.platformio["platform"])
    spec = PackageSpec(wanted)
    name = spec.name.removeprefix("platform-")
    folder = core / "platforms" / name
    version = wanted.rpartition("@")[2] if "@" in wanted else "1.0.0"
    if spec.owner is None and not spec.external:
        spec = PackageSpec(f"platformio/{wanted}")
    _package(folder, "platform", name, version, spec)
    frameworks = {k: {"script": "builder/framework.py"} for k in ("arduino", "espidf")}
    manifest = {
        "name": name,
        "title": name,
        "description": "a stand-in",
        "version": version,
        "license": "Apache-2.0",
        "repository": {"type": "git", "url": "https://example.invalid/standin.git"},
        "engines": {"platformio": "^6"},
        "frameworks": frameworks,
        "packages": {},
    }
    (folder / "platform.json").write_text(json.dumps(manifest))
    (folder / "platform.py").write_text(
        "from platformio.public import PlatformBase\n\n\n"
        f"class {name.capitalize()}Platform(PlatformBase):\n    pass\n"
    )
    (folder / "builder").mkdir()
    shutil.copy(STANDIN / "builder_main.py", folder / "builder" / "main.py")
    for script in ("framework.py", "size.py", "upload.py"):
        shutil.copy(STANDIN / script, folder / "builder" / script)
    for framework in frameworks:
        shutil.copytree(STANDIN / framework, folder / "frameworks" / framework)
    if "board" in target.platformio:
        _board(folder / "boards" / f"{target.platformio['board']}.json", target)


def make_fetched_library(folder: Path, url: str, files: Mapping[str, str]) -> None:
    """A library as PlatformIO leaves it when it has fetched a repository without a manifest.

    Args:
        folder: in the project's libdeps.
        url: of the repository, with `#` and the commit.
        files: relative path -> text.
    """
    spec = PackageSpec(url)
    _package(folder, "library", str(spec.name), "0.0.0+20260101000000", spec)
    (folder / "package.json").rename(folder / "library.json")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_component(
    core: Path, target: Target, name: str, version: str, files: Mapping[str, str]
) -> None:
    """A component of ESP-IDF's registry, as if it had been fetched.

    Args:
        core: made for the target.
        target: of the framework espidf.
        name: NAMESPACE/NAME.
        version: the only one there is.
        files: file name -> text.
    """
    platform = PackageSpec(str(target.platformio["platform"])).name.removeprefix("platform-")
    folder = core / "platforms" / platform / "components" / name.replace("/", "__") / version
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text)


def _board(path: Path, target: Target) -> None:
    path.parent.mkdir()
    pico = "raspberrypi" in str(target.platformio["platform"])
    flags = "-DARDUINO_ARCH_RP2040" if pico else ""
    build = {"mcu": "standin", "f_cpu": "1000000L", "variant": "standin", "extra_flags": flags}
    board = {
        "build": build,
        "frameworks": [target.platformio["framework"]],
        "name": target.title,
        "upload": {"maximum_ram_size": 327680, "maximum_size": 8388608},
        "url": "https://example.invalid",
        "vendor": "none",
    }
    path.write_text(json.dumps(board))


def variables(core: Path) -> dict[str, str]:
    """The environment of PlatformIO with this core folder; what it would download fails at once."""
    gcc = shutil.which("gcc") and shutil.which("g++")
    return {
        "PLATFORMIO_CORE_DIR": str(core),
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
        "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "9999",
        "PLATFORMIO_NO_ANSI": "true",
        "STANDIN_CC": "gcc" if gcc else f"{_ZIG} cc",
        "STANDIN_CXX": "g++" if gcc else f"{_ZIG} c++",
        "STANDIN_AR": "ar" if gcc else f"{_ZIG} ar",
        "STANDIN_RANLIB": "ranlib" if gcc else f"{_ZIG} ranlib",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }


def pio(core: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run PlatformIO with this core folder."""
    return subprocess.run(
        [sys.executable, "-m", "platformio", *arguments],
        cwd=cwd,
        env=os.environ | variables(core),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
