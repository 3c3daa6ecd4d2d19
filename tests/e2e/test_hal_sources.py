"""Every variant of the boards' functions compiles without a warning against the stand-ins.

That shows no more than that they use what the stand-ins declare of each framework.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from c.test_linked_together import cpp_compiler
from mcugen import resources
from mcugen.toolchain import find_compiler

STANDIN = Path(__file__).parent / "standin"
HAL = resources.firmware() / "hal"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only")


@pytest.mark.parametrize(
    ("framework", "options"),
    [
        ("espidf", ()),
        ("espidf", ("-DCONFIG_ESP_CONSOLE_USB_SERIAL_JTAG=1",)),
        ("espidf", ("-DSTANDIN_CORES=1",)),
        ("arduino", ()),
        ("arduino", ("-DARDUINO_ARCH_RP2040",)),
        ("arduino", ("-include", str(STANDIN / "cortex_m.h"))),
    ],
)
def test_it_compiles(tmp_path: Path, framework: str, options: tuple[str, ...]) -> None:
    (tmp_path / "sdkconfig.h").touch()
    sources = sorted(p for p in (HAL / framework).iterdir() if p.suffix != ".h")
    assert sources
    folders = (resources.firmware(), HAL / framework, STANDIN / framework, tmp_path)
    command = cpp_compiler() if framework == "arduino" else list(find_compiler().command)
    standard = "-std=gnu++17" if framework == "arduino" else "-std=gnu17"
    includes = [f"-I{folder}" for folder in folders]
    for source in sources:
        done = subprocess.run(
            [*command, standard, *WARNINGS, *options, *includes, str(source)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
