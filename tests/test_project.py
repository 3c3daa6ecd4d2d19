"""What an exported project and an exported library consist of."""

from __future__ import annotations

import configparser
import json
import re
from pathlib import Path

import pytest

from exported import example, write_for
from mcugen import api
from mcugen.errors import DoesNotFitError, UsageError
from mcugen.host import runtime_sources
from mcugen.project import MARK, library_files, project_files
from mcugen.targets import Target, board_names, load_target

REPORTS = {"REPORT.md": "# report\n", "report.json": "{}\n"}


def project(board: str, name: str = "digits_int8") -> dict[str, str]:
    model = example(name)
    return project_files(model.compiled, load_target(board), model.selftest(), REPORTS)


COMMON = {
    ".gitignore", MARK, "NOTICE", "README.md", "REPORT.md", "report.json",
    "lib/digits_int8/include/digits_int8.h", "lib/digits_int8/include/digits_int8_io.h",
    "lib/digits_int8/library.json",
    "lib/digits_int8/src/digits_int8.c", "lib/digits_int8/src/digits_int8_weights.c",
    "lib/digits_int8/src/digits_int8_weights.h", "lib/mcugen_rt/include/mcugen_rt.h",
    "lib/mcugen_rt/include/mcugen_selftest.h", "lib/mcugen_rt/library.json",
    "src/digits_int8_selftest.c", "src/digits_int8_selftest.h", "src/digits_int8_app.c",
    "src/digits_int8_app.h",
    *(f"lib/mcugen_rt/src/{name}" for name in runtime_sources()),
}  # fmt: skip
IDF = {"CMakeLists.txt", "partitions.csv", "sdkconfig.defaults", "src/CMakeLists.txt", "src/main.c"}


@pytest.mark.parametrize("board", board_names())
def test_the_files(board: str) -> None:
    found = {n for n in project(board) if not n.startswith("lib/mcugen_rt/include/mcugen_")}
    known = {n for n in COMMON if not n.startswith("lib/mcugen_rt/include/mcugen_")}
    target = load_target(board)
    known |= set(target.files) | {f"src/{n}" for n in target.firmware_files()}
    known |= set(target.copied_files()) | ({"platformio.ini"} if target.platformio else set())
    assert found == known
    assert set(project(board)) >= COMMON


def test_the_files_of_a_framework() -> None:
    assert project("esp32s3_n16r8").keys() >= IDF <= project("esp32c6").keys()
    assert "src/main.cpp" in project("nucleo_h743") and "Makefile" in project("host")


@pytest.mark.parametrize("board", board_names())
def test_texts_are_complete_and_name_no_machine(board: str) -> None:
    for name, text in project(board).items():
        assert text.endswith("\n"), name
        assert "{{" not in text and "{%" not in text, name
        assert not re.search(r"(?<![\w.])/(?:tmp|usr|root|home)/", text), name
        assert all(len(line) <= 400 for line in text.splitlines()), name


def test_the_same_model_gives_the_same_project() -> None:
    assert project("pico_w") == project("pico_w")


@pytest.mark.parametrize("board", board_names())
def test_manifests(board: str) -> None:
    files = project(board)
    for name, text in files.items():
        if name.endswith(".json"):
            json.loads(text)
    library = json.loads(files["lib/digits_int8/library.json"])
    assert library["name"] == "digits_int8" and library["headers"] == "digits_int8.h"
    flags = library["build"]["flags"]
    assert "-ffp-contract=off" in flags and "-Werror" in flags
    assert ("-Wpedantic" in flags) == (board == "host")
    mark = json.loads(files[MARK])
    assert mark["kind"] == "project" and mark["model"] == "digits_int8"
    assert mark["board"] == board and mark["title"] == load_target(board).title


def ini(board: str, files: dict[str, str] | None = None) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(inline_comment_prefixes=())
    parser.read_string((files or project(board))["platformio.ini"])
    assert parser["platformio"]["default_envs"] == board
    return parser[f"env:{board}"]


def test_platformio_ini() -> None:
    env = ini("pico_w")
    assert env["platform"].startswith("https://github.com/maxgerhardt/platform-raspberrypi.git#")
    assert env["board"] == "rpipicow"
    assert env["board_build.filesystem_size"] == "0m"
    assert env["build_unflags"] == "-Os"
    flags = env["build_flags"].split()
    assert flags == ["-O2", "-ffp-contract=off", "-DDIGITS_INT8_TRACE"]
    assert ini("pico2_w")["board"] == "rpipico2w"
    assert ini("pico2_w")["platform"] != env["platform"]
    assert ini("nucleo_h743")["board"] == "nucleo_h743zi"
    assert ini("nucleo_f446")["platform"] == "ststm32@19.6.0"
    assert ini("esp32s3")["platform"] == "espressif32@6.13.0"
    assert ini("esp32s3_n16r8")["board_upload.flash_size"] == "16MB"


def test_sdkconfig_and_partitions_follow_the_board() -> None:
    small, large = project("esp32s3"), project("esp32s3_n16r8")
    assert "CONFIG_ESPTOOLPY_FLASHSIZE_8MB=y" in small["sdkconfig.defaults"]
    assert "SPIRAM" not in small["sdkconfig.defaults"]
    assert "CONFIG_ESPTOOLPY_FLASHSIZE_16MB=y" in large["sdkconfig.defaults"]
    assert "CONFIG_SPIRAM_MODE_OCT=y" in large["sdkconfig.defaults"]
    assert "CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU1=n" in small["sdkconfig.defaults"]
    single = project("esp32c3")
    assert "CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ_160=y" in single["sdkconfig.defaults"]
    assert "CONFIG_ESP_TASK_WDT_CHECK_IDLE_TASK_CPU0=n" in single["sdkconfig.defaults"]
    assert "#define APPLICATION_CORE (portNUM_PROCESSORS - 1)\n" in single["src/main.c"]
    for files, flash in ((small, 8 << 20), (large, 16 << 20), (single, 4 << 20)):
        rows = [line.split(", ") for line in files["partitions.csv"].splitlines()]
        tables = [(int(r[3], 16), int(r[4], 16)) for r in rows if r[0][0] != "#"]
        ends = [offset + size for offset, size in tables]
        assert all(e <= o for e, (o, _) in zip(ends, tables[1:], strict=False))
        assert ends[-1] == flash
        assert tables[-1][0] % 0x10000 == 0  # an application starts at a multiple of 64 KB


def test_an_arena_that_is_too_large_goes_to_external_ram() -> None:
    model = example("digits_int8")
    target = load_target("esp32s3_n16r8")
    tight = Target(**{**vars(target), "ram_bytes": 16})
    files = project_files(model.compiled, tight, None, REPORTS)
    flags = ini("esp32s3_n16r8", files)["build_flags"].split()
    assert "-DDIGITS_INT8_ARENA_SECTION=.ext_ram.bss.mcugen" in flags
    report = api.Model(model.compiled, tight).report()
    assert report.fit.fits
    assert any("external RAM" in notice for notice in report.notices)
    assert not any("external RAM" in n for n in api.Model(model.compiled, target).report().notices)


def test_the_stack_of_the_task_follows_the_bound() -> None:
    model, target = example("digits_int8"), load_target("esp32s3")
    for stack, wanted in ((None, 8192), (500, 8192), (10_000, 16_144)):
        files = project_files(model.compiled, target, None, REPORTS, stack)
        assert f"#define INFERENCE_STACK_BYTES {wanted}\n" in files["src/main.c"]


def test_the_readme_shows_how_to_use_it() -> None:
    text = project("pico_w")["README.md"]
    assert "float *in0 = digits_int8_input(0); /* write 64 elements [1, 1, 8, 8] */" in text
    assert "pio run -t upload -t monitor" in text
    model = example("digits_int8", io_buffers="caller", arena="caller")
    text = project_files(model.compiled, load_target("host"), None, REPORTS)["README.md"]
    assert "int error = digits_int8_run(arena, in0, out0);" in text


def test_a_library_is_one_for_everybody() -> None:
    files = library_files(example("digits_int8").compiled, REPORTS)
    assert {n for n in files if "mcugen_" not in n.rpartition("/")[2]} == {
        MARK, "CMakeLists.txt", "NOTICE", "REPORT.md", "report.json", "idf_component.yml",
        "library.json", "library.properties", "examples/digits_int8_once/digits_int8_once.ino",
        "src/digits_int8.c", "src/digits_int8.h", "src/digits_int8_io.h",
        "src/digits_int8_weights.c", "src/digits_int8_weights.h",
    }  # fmt: skip
    assert "src/mcugen_selftest.h" not in files
    sources = re.findall(r'"(src/[^"]+\.c)"', files["CMakeLists.txt"])
    assert sources == ["src/digits_int8.c", "src/digits_int8_weights.c"]
    properties = dict(line.split("=", 1) for line in files["library.properties"].splitlines())
    needed = "name version author maintainer sentence paragraph category url architectures"
    assert set(needed.split()) <= set(properties)
    assert "-Werror" not in files["library.json"]


def test_export_writes_the_report_too(tmp_path: Path) -> None:
    done = example("digits_int8").export(tmp_path / "out")
    report = json.loads((done.directory / "report.json").read_text())
    assert report["model"] == "digits_int8.onnx"
    assert report["board"] == "host" and report["fits"] is True
    assert report["selftest_bytes"] > 256
    assert "digits_int8.onnx" in (done.directory / "REPORT.md").read_text()
    assert done.next_command == f"mcugen build {tmp_path / 'out'}"
    with pytest.raises(UsageError, match="out exists"):
        example("digits_int8").export(tmp_path / "out")
    assert example("digits_int8").export(tmp_path / "out", force=True).directory.is_dir()


def test_export_of_a_library(tmp_path: Path) -> None:
    done = example("digits_int8").export(tmp_path / "out", emit="lib")
    assert (done.directory / "src" / "digits_int8.h").is_file()
    assert json.loads((done.directory / "report.json").read_text())["selftest_bytes"] == 0


def test_what_does_not_fit_is_not_written(tmp_path: Path) -> None:
    model = example("digits_int8")
    target = Target(**{**vars(load_target("pico_w")), "ram_bytes": 100})
    with pytest.raises(DoesNotFitError):
        api.Model(model.compiled, target).export(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_board_of_the_user_has_its_own_main(tmp_path: Path) -> None:
    board = tmp_path / "nucleo"
    board.mkdir()
    (board / "target.toml").write_text('base = "host"\ntitle = "Nucleo"\n')
    (board / "main.c.j2").write_text("/* {{ m.prefix }} on {{ t.title }} */\n")
    files = project_files(example("digits_int8").compiled, load_target(str(board)), None, REPORTS)
    assert files["src/main.c"] == "/* digits_int8 on Nucleo */\n"
    assert "CC ?= cc" in files["Makefile"]


def test_write_for_every_board(tmp_path: Path) -> None:
    for board in board_names():
        assert (write_for(board, tmp_path / board) / MARK).is_file()
