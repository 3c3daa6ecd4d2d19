"""Framework script of the stand-in platforms: headers by -I, as SDKs do it, and a main().

For ESP-IDF also what its build does with a project's own files: sdkconfig.h is made of
sdkconfig.defaults, and the components that src/idf_component.yml asks for are built.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()
platform = Path(env.PioPlatform().get_dir())
framework = env["PIOFRAMEWORK"][0]


def configure(project: Path, folder: Path) -> None:
    """Write sdkconfig.h: what is set to `y` is defined as 1, what is set to `n` is not defined."""
    lines = (project / "sdkconfig.defaults").read_text().splitlines()
    options = re.findall(r"^(CONFIG_\w+)=(.+)$", "\n".join(lines), re.MULTILINE)
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"#define {n} {1 if v == 'y' else v}" for n, v in options if v != "n"]
    (folder / "sdkconfig.h").write_text("\n".join(text) + "\n")


def component(name: str, version: str) -> None:
    """Build a component that was put in place as if it had been fetched."""
    place = platform / "components" / name.replace("/", "__") / version
    if not place.is_dir():
        sys.exit(f"component {name} {version} is not in the registry")
    env.Append(CPPPATH=[str(place)])
    env.Append(LIBS=[env.BuildLibrary(str(Path("$BUILD_DIR", place.parent.name)), str(place))])


source = platform / "frameworks" / framework
env.Append(CPPPATH=[str(source)])
if framework == "espidf":
    project, config = Path(env.subst("$PROJECT_DIR")), Path(env.subst("$BUILD_DIR"), "config")
    configure(project, config)
    env.Append(CPPPATH=[str(config)], CPPDEFINES=["ESP_PLATFORM"])
    manifest = project / "src" / "idf_component.yml"
    if manifest.is_file():
        for found in re.findall(r'^  (\S+/\S+): "==(\S+)"$', manifest.read_text(), re.MULTILINE):
            component(*found)
env.Prepend(LIBS=[env.BuildLibrary(str(Path("$BUILD_DIR", "framework")), str(source))])
