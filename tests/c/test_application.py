"""The firmware application: every command of docs/PROTOCOL.md, good and bad, on the host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from appboard import (
    booted,
    build,
    joined,
    laps,
    load,
    outputs,
    random_inputs,
    running,
)
from exported import example, write_for

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(write_for("host", tmp_path_factory.mktemp("app") / "out", level="full"))


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    return tmp_path / "marks"


@pytest.fixture
def port(program: Path, marks: Path) -> Iterator[object]:
    with booted(program, {"MCUGEN_HOST_MARKS": str(marks)}) as found:
        yield found


def test_boot(program: Path) -> None:
    with running(program) as found:
        text = found.read_until(r"m-init-done\r\nm-ready\r\n")
    lines = text.split("\r\n")
    assert lines[0] == "m-timestamp-mode-performance"
    assert lines[-3:] == ["m-init-done", "m-ready", ""]
    passed = "PASS: 8 layer outputs and 1 model outputs equal the reference in every bit"
    assert lines.count(passed) == 1


def test_who_it_is(port) -> None:
    assert port.ask("name") == ["m-name-dut-[host]"]
    profile = ["m-profile-[ULPMark for tinyML Firmware V0.0.1]", "m-model-[digits_int8]"]
    assert port.ask("profile") == profile
    documented = Path(__file__).parents[2] / "docs" / "PROTOCOL.md"
    words = set(re.findall(r"^\| `(\w+)", documented.read_text(), re.MULTILINE))
    assert set(port.ask("help")) == words


def test_info(port) -> None:
    info = dict(re.fullmatch(r"m-info-([a-z0-9-]+)-\[(.*)\]", x).groups() for x in port.ask("info"))
    found = example().compiled.model
    assert info.pop("compiler")
    assert info.pop("flags").startswith("-std=c11 -ffp-contract=off")
    assert info == {
        "generator": found.version,
        "hash": found.hash,
        "model": "digits_int8",
        "board": "host",
        "clock-hz": "1000000000",
        "cores": "2",
        "core": "0",
        "arena-bytes": str(found.arena_bytes),
        "inputs": "float32:64:256",
        "outputs": "float32:10:40",
        "layers": "8",
        "kernels": "portable",
        "memory": "arena: internal RAM, weights: flash",
        "selftest": "full",
        "cycles": "0",
        "i2c": "0",
        "meter": "none",
    }


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("nonsense 1", "Unknown command: nonsense"),
        ("nam", "Unknown command: nam"),
        ("names", "Unknown command: names"),
        ("x" * 81, "Command too long"),
        ("db", "db: load, print, or bytes in hexadecimal?"),
        ("db load", "db load: how many bytes?"),
        ("db load 0", "db: a whole number of at least 1 is wanted, not '0'"),
        ("db load -1", "db: a whole number of at least 1 is wanted, not '-1'"),
        ("db load 1x", "db: a whole number of at least 1 is wanted, not '1x'"),
        ("db load 4294967296", "db: a whole number of at least 1 is wanted, not '4294967296'"),
        ("db load 257", "db load: the inputs have 256 bytes"),
        ("db 00", "db: say 'db load N' first"),
        ("db print 257", "db print: the buffer has 256 bytes"),
        ("db print 1 256", "db print: the buffer has 256 bytes"),
        ("db print 4294967295 4294967295", "db print: the buffer has 256 bytes"),
        ("db print z", "db: a whole number of at least 0 is wanted, not 'z'"),
        ("infer 0", "infer: a whole number of at least 1 is wanted, not '0'"),
        ("infer 1 -1", "infer: a whole number of at least 0 is wanted, not '-1'"),
        ("infer 1 1 z", "infer: a whole number of at least 0 is wanted, not 'z'"),
        ("each 0", "each: a whole number of at least 1 is wanted, not '0'"),
        ("each 1 z", "each: a whole number of at least 0 is wanted, not 'z'"),
        ("layers 0", "layers: a whole number of at least 1 is wanted, not '0'"),
        ("output z", "output: a whole number of at least 0 is wanted, not 'z'"),
        ("output 1", "output: the number of outputs is 1"),
        ("output 0 41", "output: it has 40 bytes"),
        ("output 0 1 40", "output: it has 40 bytes"),
        ("output 0 z", "output: a whole number of at least 0 is wanted, not 'z'"),
        ("output 0 0 z", "output: a whole number of at least 0 is wanted, not 'z'"),
        ("run z", "run: a whole number of at least 0 is wanted, not 'z'"),
        ("mode", "mode: performance or energy?"),
        ("mode fast", "mode: performance or energy?"),
        ("phases", "phases: 0 or 1?"),
        ("phases 2", "phases: 0 or 1?"),
        ("core", "core: which one?"),
        ("core z", "core: a whole number of at least 0 is wanted, not 'z'"),
        ("core 2", "core: their number is 2"),
        ("sleep", "sleep: how many milliseconds?"),
        ("sleep z", "sleep: a whole number of at least 0 is wanted, not 'z'"),
        ("power", "power: N, W and US are wanted"),
        ("power 1 1", "power: N, W and US are wanted"),
        ("power 0 1 1", "power: a whole number of at least 1 is wanted, not '0'"),
        ("power 1 z 1", "power: a whole number of at least 0 is wanted, not 'z'"),
        ("power 1 1 0", "power: a whole number of at least 1 is wanted, not '0'"),
        ("power 1 1 1", "power: no INA219 or INA226 answers at 0x40"),
    ],
)
def test_what_is_refused(port, command: str, error: str) -> None:
    assert port.ask(command) == [f"e-[{error}]"]
    assert port.ask("name") == ["m-name-dut-[host]"]


def test_words_and_ends_of_commands(port) -> None:
    assert port.ask("") == []
    assert port.ask("\r\n  name  \r\n") == ["m-name-dut-[host]"]
    assert port.ask("na\nme") == ["m-name-dut-[host]"]
    assert port.ask("x" * 80) == [f"e-[Unknown command: {'x' * 80}]"]
    assert port.ask("name 1 2 3 4 5 6 7 8 9") == ["m-name-dut-[host]"]
    port.send("name%name%")
    assert port.read_until(r"(?s)dut.*dut.*m-ready\r\n").count("m-ready") == 2


def test_the_buffer(port) -> None:
    sample = example().selftest().inputs[0].tobytes()
    lines = [f"m-buffer-{sample[i : i + 8].hex('-')}" for i in range(0, 256, 8)]
    assert port.ask("db print") == lines
    assert port.ask("db print 3 250") == [f"m-buffer-{sample[250:253].hex('-')}"]
    assert port.ask("db print 0") == []
    assert port.ask("db load 5") == ["m-[Expecting 5 bytes]"]
    assert port.ask("db 00fF") == []
    assert port.ask("db 0") == ["e-[db: a byte has two hexadecimal digits]"]
    assert port.ask("db 0g") == ["e-[db: not a hexadecimal digit]"]
    assert port.ask("db 102030zz") == ["m-load-done"]
    assert port.ask("db print 6") == [f"m-buffer-00-ff-10-20-30-{sample[5]:02x}"]
    assert port.ask("db 00") == ["e-[db: say 'db load N' first]"]


@pytest.mark.parametrize("core", [0, 1])
def test_infer(port, core: int) -> None:
    image = random_inputs(example(), 3)
    load(port, joined(image))
    assert port.ask(f"core {core}") == [f"m-core-{core}"]
    wanted = next(iter(example()(*image).values()))
    results = "m-results-[" + ",".join(f"{v:.3f}" for v in wanted.reshape(-1).tolist()) + "]"
    lines = port.ask("infer 3 2")
    assert lines[:3] == ["m-warmup-start-2", "m-warmup-done", "m-infer-start-3"]
    assert lines[5:] == ["m-infer-done", results]
    first, last = (int(re.fullmatch(r"m-lap-us-(\d+)", line)[1]) for line in lines[3:5])
    assert first < last
    assert port.ask("results") == [results]
    assert outputs(port, example())[0].tobytes() == wanted.tobytes()
    assert port.ask("infer")[:3] == ["m-warmup-start-10", "m-warmup-done", "m-infer-start-1"]


def test_sleep_between_inferences(port) -> None:
    first, last = laps(port.ask("infer 3 0 20"))
    assert last - first >= 60_000
    start = time.monotonic()
    assert port.ask("sleep 50") == []
    assert time.monotonic() - start >= 0.05


def test_the_clock_of_timestamps_goes_on(port) -> None:
    before = laps(port.ask("timestamp"))
    during = [laps(port.ask("infer 2 0")) for _ in range(3)]
    after = laps(port.ask("timestamp"))
    times = before + [t for pair in during for t in pair] + after
    assert len(times) == 8 and times == sorted(times)


def test_phases(port) -> None:
    assert port.ask("phases 1") == []
    times = laps(port.ask("infer 50 0"))
    assert len(times) == 4 and times == sorted(times)
    assert port.ask("phases 0") == []
    assert len(laps(port.ask("infer 1 0"))) == 2


@pytest.mark.parametrize("core", [0, 1])
def test_each(port, core: int) -> None:
    assert port.ask(f"core {core}") == [f"m-core-{core}"]
    lines = port.ask("each 35 3")
    assert lines[-1] == "m-each-done-35"
    counts = [len(re.fullmatch(r"m-each-\[([\d,]+)\]", x)[1].split(",")) for x in lines[:-1]]
    assert counts == [16, 16, 3]


@pytest.mark.parametrize("core", [0, 1])
def test_layers(port, core: int) -> None:
    assert port.ask(f"core {core}") == [f"m-core-{core}"]
    lines = port.ask("layers 20")
    assert lines[-1] == "m-layers-done-20"
    calls = example().compiled.model.calls
    for index, (line, call) in enumerate(zip(lines[:-1], calls, strict=True)):
        found = re.fullmatch(r'm-layer-(\d+)-(\d+)-0-\[(\w+) "(.*)"\]', line)
        assert found is not None
        assert (int(found[1]), found[3], found[4]) == (index, call.op, call.node)
    assert port.ask("infer 1 0")[-1].startswith("m-results-[")


def test_output(port) -> None:
    image = random_inputs(example(), 5)
    load(port, joined(image))
    port.ask("infer 1 0")
    data = next(iter(example()(*image).values())).tobytes()
    rows = [f"m-output-0-{at}-[{data[at : at + 32].hex()}]" for at in (0, 32)]
    assert port.ask("output 0") == [*rows, f"m-output-done-{zlib.crc32(data):08x}"]
    some = data[3:10]
    wanted = [f"m-output-0-3-[{some.hex()}]", f"m-output-done-{zlib.crc32(some):08x}"]
    assert port.ask("output 0 3 7") == wanted
    assert port.ask("output 0 40") == ["m-output-done-00000000"]


@pytest.mark.parametrize("core", [0, 1])
def test_run_until_a_character_comes(port, core: int) -> None:
    port.ask(f"core {core}")
    port.send("run 1%")
    time.sleep(0.1)
    port.send("x")
    text = port.read_until(r"m-ready\r\n")
    done = re.fullmatch(r"m-run-done-(\d+)\r\nm-ready\r\n", text)
    assert done is not None and 2 <= int(done[1]) <= 100
    assert port.ask("name") == ["m-name-dut-[host]"]


def falls(marks: Path) -> list[int]:
    rows = [line.split() for line in marks.read_text().splitlines()]
    return [int(us) for us, level in rows if level == "0"]


def test_energy_mode_marks_by_the_pin(port, marks: Path) -> None:
    assert port.ask("infer 1 0") and falls(marks) == []
    assert port.ask("mode energy") == ["m-timestamp-mode-energy"]
    assert port.ask("timestamp") == []
    assert len(falls(marks)) == 1
    lines = port.ask("infer 2 1 10")
    assert laps(lines) == [] and "m-infer-done" in lines
    found = falls(marks)
    assert len(found) == 3 and found[2] - found[1] >= 20_000
    port.ask("phases 1")
    port.ask("infer 1 0")
    assert len(falls(marks)) == 7
    rows = [line.split() for line in marks.read_text().splitlines()]
    assert [level for _, level in rows] == ["1"] + ["0", "1"] * 7
    low = [int(b[0]) - int(a[0]) for a, b in zip(rows[1::2], rows[2::2], strict=True)]
    assert min(low) >= 1000
    assert port.ask("mode performance") == ["m-timestamp-mode-performance"]
    assert len(laps(port.ask("timestamp"))) == 1


@pytest.mark.parametrize(
    ("name", "shunt_volts", "bus_volts"), [("ina219", 10e-6, 4e-3 / 8), ("ina226", 2.5e-6, 1.25e-3)]
)
def test_power(program: Path, name: str, shunt_volts: float, bus_volts: float) -> None:
    with booted(program, {"MCUGEN_HOST_METER": name}) as found:
        assert f"m-info-meter-[{name}]" in found.ask("info")
        assert "m-info-i2c-[1]" in found.ask("info")
        lines = found.ask("power 20000 2 500")
        assert lines[:3] == ["m-warmup-start-2", "m-warmup-done", "m-infer-start-20000"]
        assert lines[-2] == "m-infer-done" and lines[-1].startswith("m-results-[")
        rows = [tuple(map(int, x.split("-")[2:])) for x in lines if x.startswith("m-power-")]
        first, last = laps(lines)
        assert rows[0][0] <= first < last <= rows[-1][0]
        inside = [shunt for us, shunt, _ in rows if first < us < last]
        assert len(inside) > 10
        amperes = [shunt * shunt_volts / 0.1 for shunt in inside[:-1]]
        assert amperes == pytest.approx([0.1] * len(amperes))
        assert rows[0][1] * shunt_volts / 0.1 == pytest.approx(0.02)
        assert rows[0][2] * bus_volts == pytest.approx(3.3, abs=0.01)


def test_the_self_test_on_demand(port) -> None:
    lines = port.ask("selftest")
    assert lines[-1] == "m-selftest-[pass]"
    assert any(line.startswith("PASS: 8 layer outputs") for line in lines)


def test_standard_input_serves_too(program: Path) -> None:
    done = subprocess.run([program], input=b"name%run%", capture_output=True, timeout=60)
    assert done.returncode == 0
    assert b"m-name-dut-[host]\r\nm-ready\r\nm-run-done-" in done.stdout
    wrong = subprocess.run([program, "-x"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "usage: " in wrong.stderr
    nowhere = {**os.environ, "MCUGEN_HOST_MARKS": "/nowhere/marks"}
    wrong = subprocess.run([program], capture_output=True, text=True, timeout=60, env=nowhere)
    assert wrong.returncode == 1 and "/nowhere/marks" in wrong.stderr


def test_the_program_ends_with_who_started_it(program: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"  # before that it may not know yet who started it
    script = f"{program} --pty > {said} & echo $!; while [ ! -s {said} ]; do sleep 0.05; done"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60)
    end = time.monotonic() + 20
    while is_alive(int(done.stdout)):
        assert time.monotonic() < end, "the program outlives its parent"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return not (status.exists() and "State:\tZ" in status.read_text())
