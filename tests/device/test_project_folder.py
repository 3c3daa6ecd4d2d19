"""What an exported folder says of itself, and folders that are none."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from device.folders import REPORT, exported
from exported import example, write_project
from mcugen import api
from mcugen.application import application
from mcugen.device.project_folder import Plan, environment, monitor_baud, open_project
from mcugen.errors import UsageError
from mcugen.project import MARK
from mcugen.targets import board_names, load_target


@pytest.mark.parametrize("board", board_names())
def test_every_board_s_project_is_one(tmp_path: Path, board: str) -> None:
    project = exported(tmp_path, board)
    target = load_target(board)
    assert (project.board, project.title, project.model) == (board, target.title, "digits_int8")
    assert project.device == target.device
    assert project.plan is not None
    assert project.plan.ram_total_bytes - project.plan.ram_reserve_bytes == target.ram_bytes


def test_the_plan(tmp_path: Path) -> None:
    plan = exported(tmp_path).plan
    assert plan is not None
    assert plan == Plan(plan.ram_bytes, 700, 30_500, 73_728, 393_216, 262_144, 2_097_152)
    unknown = exported(tmp_path / "unknown", report=REPORT | {"stack_bytes": None}).plan
    assert unknown is not None and unknown.stack_bytes is None


def test_ram_that_is_planned(tmp_path: Path) -> None:
    model, target = example(), load_target("esp32s3_n16r8")
    arena, app = model.compiled.model.arena_bytes, application(model.compiled.model, target, 0)
    assert app.ram_bytes > app.fixed_bytes > 0
    inside = write_project(api.Model(model.compiled, target), tmp_path / "inside")
    assert planned_ram(inside) == arena + app.ram_bytes
    tight = dataclasses.replace(target, ram_bytes=app.fixed_bytes)
    outside = write_project(api.Model(model.compiled, tight), tmp_path / "outside")
    assert planned_ram(outside) == app.fixed_bytes


def planned_ram(folder: Path) -> int:
    (folder / "report.json").write_text(json.dumps(REPORT))
    plan = open_project(folder).plan
    assert plan is not None
    return plan.ram_bytes


def test_a_project_without_a_report_has_no_plan(tmp_path: Path) -> None:
    project = exported(tmp_path)
    (project.path / "report.json").unlink()
    assert open_project(project.path).plan is None


@pytest.mark.parametrize(
    ("file", "text", "message", "hint"),
    [
        (MARK, None, f"is no project of mcugen: it holds no {MARK}", "mcugen export"),
        (MARK, "{", f"{MARK} is damaged", "export the model again"),
        (MARK, "[]", f"{MARK} is damaged: no JSON object", "export the model again"),
        (MARK, '{"kind": "library"}', "holds the C library alone", "no --emit"),
        (MARK, '{"kind": "project"}', "lacks what this mcugen needs: 'device'", "again"),
        (MARK, '{"kind": "project", "device": {}}', "lacks what this mcugen needs", "again"),
        ("report.json", "{}", "lacks what this mcugen needs: 'stack_bytes'", "again"),
        ("report.json", "no", "report.json is damaged", "export the model again"),
    ],
)
def test_a_folder_that_is_no_project(
    tmp_path: Path, file: str, text: str | None, message: str, hint: str
) -> None:
    path = exported(tmp_path).path
    (path / file).unlink()
    if text is not None:
        (path / file).write_text(text)
    with pytest.raises(UsageError) as caught:
        open_project(path)
    assert message in caught.value.message and hint in caught.value.hint


def test_no_folder_at_all_and_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        open_project(tmp_path / "none")
    path = exported(tmp_path).path
    (path / "platformio.ini").unlink()
    with pytest.raises(UsageError, match=r"platformio\.ini cannot be read: No such file"):
        environment(open_project(path), None)
    (path / "platformio.ini").write_text("no section = 1\n")
    with pytest.raises(UsageError, match=r"platformio\.ini cannot be read: File contains no"):
        environment(open_project(path), None)


def test_environments(tmp_path: Path) -> None:
    project = exported(tmp_path)
    assert environment(project, None) == "pico_w"
    with pytest.raises(UsageError, match="has no environment 'debug'; it has pico_w") as caught:
        environment(project, "debug")
    assert "--env" in caught.value.hint
    ini = project.path / "platformio.ini"
    ini.write_text(ini.read_text() + "\n[env:debug]\nmonitor_speed = 9600\n")
    assert environment(project, "debug") == "debug"
    assert monitor_baud(project, "debug") == 9600
    assert monitor_baud(project, "pico_w") == 115_200
    host = exported(tmp_path, "host")
    assert environment(host, None) == "" and monitor_baud(host, "") == 115_200
    with pytest.raises(UsageError, match="--env is for PlatformIO"):
        environment(host, "host")
