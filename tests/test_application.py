"""What the firmware application takes of the RAM, and where its buffer goes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exported import example
from mcugen import api
from mcugen.application import application
from mcugen.project import project_files
from mcugen.report.text import markdown
from mcugen.targets import load_target

LAYERS, BUFFER, STATE = 8 * 16, 64 * 4, 512
FIXED = STATE + LAYERS
ARENA = example().compiled.plan.arena_bytes
NEED = ARENA + FIXED


@pytest.mark.parametrize(
    ("board", "ram_bytes", "has_buffer", "section", "arena_section"),
    [
        ("pico_w", NEED + BUFFER, True, "", ""),
        ("pico_w", NEED + BUFFER - 1, False, "", ""),
        ("pico_w", NEED - 1, False, "", ""),
        ("esp32s3_n16r8", NEED + BUFFER, True, "", ""),
        ("esp32s3_n16r8", NEED + BUFFER - 1, True, ".ext_ram.bss.mcugen", ""),
        ("esp32s3_n16r8", NEED - 1, True, "", ".ext_ram.bss.mcugen"),
        ("esp32s3_n16r8", FIXED, True, ".ext_ram.bss.mcugen", ".ext_ram.bss.mcugen"),
    ],
)
def test_where_it_goes(
    board: str, ram_bytes: int, has_buffer: bool, section: str, arena_section: str
) -> None:
    target = replace(load_target(board), ram_bytes=ram_bytes)
    found = application(example().compiled.model, target, 0)
    assert (found.fixed_bytes, found.buffer_bytes) == (FIXED, BUFFER)
    assert (found.has_buffer, found.section) == (has_buffer, section)
    assert found.arena_section == arena_section
    assert found.ram_bytes == FIXED + (BUFFER if has_buffer else 0)


def test_the_build_is_told() -> None:
    model = example().compiled
    tight = replace(load_target("pico_w"), ram_bytes=NEED)
    ini = project_files(model, tight, None, {})["platformio.ini"]
    assert "    -DMCUGEN_APP_BUFFER=0\n" in ini and "SECTION" not in ini
    far = replace(load_target("esp32s3_n16r8"), ram_bytes=NEED)
    files = project_files(model, far, None, {})
    flags = files["platformio.ini"].split()
    assert "-DDIGITS_INT8_APP_SECTION=.ext_ram.bss.mcugen" in flags
    assert "MCUGEN_SECTION(DIGITS_INT8_APP_SECTION)" in files["src/digits_int8_app.c"]


def test_the_report_counts_it() -> None:
    model, target = example().compiled, load_target("pico_w")
    report = api.Model(model, target).report()
    assert report.to_json()["application_bytes"] == FIXED + BUFFER
    stack = report.footprint.stack_bytes or 0
    assert report.fit.ram_margin_bytes == target.ram_bytes - ARENA - stack - FIXED - BUFFER
    assert "| application | 896 bytes of RAM, 256 of them the buffer of `db` |" in markdown(report)


def test_the_buffer_does_not_decide_whether_a_model_fits() -> None:
    model = example().compiled
    stack = api.Model(model, load_target("pico_w")).report().footprint.stack_bytes or 0
    tight = replace(load_target("pico_w"), ram_bytes=NEED + stack)
    report = api.Model(model, tight).report()
    assert report.fit.fits and report.fit.ram_margin_bytes == 0
    assert any("MCUGEN_APP_BUFFER=0" in notice for notice in report.notices)
    assert "without the 256 of the buffer" in markdown(report)
    smaller = replace(tight, ram_bytes=NEED + stack - 1)
    assert not api.Model(model, smaller).report().fit.fits


def test_the_readme_tells_pins_and_commands() -> None:
    files = project_files(example().compiled, load_target("esp32s3"), None, {})
    text = files["README.md"]
    assert "after `mode energy` | 4 |" in text
    assert "| SDA, SCL of an INA219 or INA226 at address 0x40 | 8, 9 |" in text
    assert "leaves out the 256 bytes of RAM" in text
    for name, value in (("TRIGGER", 4), ("SDA", 8), ("SCL", 9)):
        assert f"#define {name}_PIN {value}\n" in files["src/main.c"]
    host = project_files(example().compiled, load_target("host"), None, {})["README.md"]
    assert "--pty" in host and "trigger" not in host
    tight = replace(load_target("pico_w"), ram_bytes=NEED)
    assert "do\nnot fit beside" in project_files(example().compiled, tight, None, {})["README.md"]
