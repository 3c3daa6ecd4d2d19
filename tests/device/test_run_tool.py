"""Tools: every line seen and logged, limits in time, Ctrl-C, and what cannot be started."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from mcugen.device import run_tool as module
from mcugen.device.run_tool import Limits, run_tool
from mcugen.errors import DeviceError, UsageError

QUICK = Limits(silent_s=20, total_s=30)


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def run(tmp_path: Path, command: list[str], limits: Limits = QUICK) -> tuple[int, list[str]]:
    seen: list[str] = []
    log = tmp_path / "logs" / "tool.log"
    code = run_tool(command, folder=tmp_path, log=log, each=seen.append, limits=limits)
    assert log.read_text().splitlines() == seen
    return code, seen


def test_every_line_is_seen_and_kept(tmp_path: Path) -> None:
    text = (
        "import sys, os; sys.stdout.write('one\\n 10%\\r 20%\\r\\n\\x1b[31mred\\x1b[0m\\nrest');"
        "sys.stderr.write('-error'); print(os.getcwd()); sys.exit(3)"
    )
    code, seen = run(tmp_path, python(text))
    assert code == 3
    assert seen[:4] == ["one", " 10%", " 20%", "red"]
    assert str(tmp_path.resolve()) in "".join(seen[4:])
    assert "rest" in "".join(seen) and "-error" in "".join(seen)


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    code, seen = run(tmp_path, python("import sys; sys.stdout.buffer.write(b'\\xff\\xfe ok\\n')"))
    assert code == 0 and seen[0].endswith(" ok")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(silent_s=0.5, total_s=30), "said nothing for 0.5 s and was stopped"),
        (Limits(silent_s=20, total_s=0.7), "was not done after 0.7 s and was stopped"),
    ],
)
def test_nothing_hangs(tmp_path: Path, limits: Limits, message: str) -> None:
    chatty = limits.silent_s > 1
    text = f"import time\nwhile 1: time.sleep(0.1); print('x', flush=True) if {chatty} else 0"
    started = time.monotonic()
    with pytest.raises(DeviceError, match=message) as caught:
        run(tmp_path, python(text), limits)
    assert time.monotonic() - started < 10
    assert "--time-limit" in caught.value.hint and "tool.log" in caught.value.hint


def test_a_tool_that_closes_its_output_and_stays_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GRACE_S", 0.5)
    with pytest.raises(DeviceError, match="closed its output and does not end"):
        run(tmp_path, python("import os, time; os.close(1); os.close(2); time.sleep(60)"))


def test_a_child_that_lives_on_is_not_waited_for_and_not_left(tmp_path: Path) -> None:
    child = "import time; time.sleep(60)"
    text = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "print(p.pid)\n"
    )
    started = time.monotonic()
    code, seen = run(tmp_path, python(text))
    assert code == 0 and time.monotonic() - started < 20
    end = time.monotonic() + 5
    while lives(int(seen[0])) and time.monotonic() < end:
        time.sleep(0.05)
    assert not lives(int(seen[0]))


def lives(process: int) -> bool:
    """Whether it runs; one that has ended and that nobody has asked for does not."""
    status = Path(f"/proc/{process}/stat")
    if status.parent.parent.joinpath("self").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_reaches_the_tool(tmp_path: Path) -> None:
    text = (
        "import time\nprint('ready', flush=True)\n"
        "try: time.sleep(60)\n"
        "except KeyboardInterrupt: open('stopped', 'w').close()\n"
    )

    def interrupt(line: str) -> None:
        assert line == "ready"
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        run_tool(python(text), folder=tmp_path, log=tmp_path / "log", each=interrupt, limits=QUICK)
    assert (tmp_path / "stopped").is_file()


def test_what_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="'no-such-make -j' cannot be run: No such") as caught:
        run(tmp_path, ["no-such-make", "-j"])
    assert "install no-such-make" in caught.value.hint
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        run_tool(["true"], folder=tmp_path, log=tmp_path / "file" / "log", each=print)
