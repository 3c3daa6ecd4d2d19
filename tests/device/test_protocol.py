from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest

from exported import example
from fake_board import FakeBoard
from mcugen.device.link import BAUD, ENERGY_BAUD, SerialLink
from mcugen.device.protocol import Board, RefusedError
from mcugen.errors import DeviceError
from mcugen.host import HostModel


@pytest.fixture
def host() -> HostModel:
    return example().host


def fake(host: HostModel, **changes: object) -> FakeBoard:
    return FakeBoard(host, "ab" * 32, **changes)  # type: ignore[arg-type]


def board_of(link: FakeBoard, log: list[str] | None = None) -> Board:
    return Board(link, [].append if log is None else log.append)


def test_every_answer_becomes_a_value(host: HostModel) -> None:
    link, log = fake(host), list[str]()
    board = board_of(link, log)
    board.sync()
    assert board.info()["clock-hz"] == "133000000"
    assert board.selftest() == ("pass", "PASS: 8 layer outputs")
    laps = board.infer(20, 2, 1.0)
    assert laps.inferences == 20
    assert laps.seconds == pytest.approx(20 * link.each_s, abs=2e-6)
    assert laps.host_s[1] - laps.host_s[0] == pytest.approx(20 * link.each_s, abs=0.02)
    assert board.each(37, 1.0).tolist() == [500.0] * 37
    first, second = board.layers(4, 1.0)
    assert (first.op, first.name, first.us, first.cycles) == ("QConv", "/a/Conv (+1)", 1200, 12000)
    assert (second.name, second.cycles) == ("s", 0)
    board.core(1)
    start = board.timestamp()
    board.sleep(0.05)
    assert board.timestamp() - start == pytest.approx(0.05, abs=0.02)
    found, readings = board.power(10, 0, 1000, 1.0)
    assert readings.time_s[0] < found.board_s[0] < found.board_s[1] < readings.time_s[-1]
    assert readings.shunt[0] == 200 and readings.shunt.max() == 1000
    assert log[:2] == ["> %", "< m-ready"]
    assert "> info%" in log and "< m-selftest-[pass]" in log


def test_outputs_come_back_byte_for_byte(host: HostModel) -> None:
    board = board_of(fake(host))
    image = np.random.default_rng(1).random((1, 1, 8, 8), np.float32)
    board.load(image.tobytes())
    board.infer(1, 0, 1.0)
    wanted = host.run({"image": image})["logits"].tobytes()
    assert board.output(0, len(wanted)) == wanted


def test_energy_mode_prints_no_marks_and_changes_the_speed(host: HostModel) -> None:
    link = fake(host)
    board = board_of(link)
    board.mode(energy=True)
    assert board.infer(3, 0, 1.0).board_s == ()
    assert math.isnan(board.timestamp())
    assert len(link.pulses) == 3
    board.mode(energy=False)
    assert link.bauds == [ENERGY_BAUD, BAUD]
    assert len(board.infer(3, 0, 1.0).board_s) == 2


def test_sync_gets_past_boot_lines_and_a_command_cut_in_half(host: HostModel) -> None:
    link = fake(host, boot=b"ESP-ROM:esp32s3\r\n\xff\xfe\r\nm-init-done\r\nm-ready\r\n")
    link._command = "infer 1"  # what another program had sent
    board = board_of(link)
    board.sync()
    assert "hash" in board.info()


def test_sync_finds_a_board_left_in_energy_mode(host: HostModel) -> None:
    link = fake(host, energy=True)
    answer = link._answer

    def at_its_speed(command: str) -> None:
        if link.bauds[-1] == (ENERGY_BAUD if link.energy else BAUD):
            answer(command)

    link._answer = at_its_speed  # type: ignore[method-assign]
    board = board_of(link)
    board.sync(limit_s=300)  # times 0.03
    assert not link.energy
    assert len(board.infer(2, 0, 1.0).board_s) == 2


def test_a_silent_port_is_told_with_a_time(host: HostModel) -> None:
    link = fake(host, edit={"": lambda lines: []})
    with pytest.raises(
        DeviceError, match=r"no board answers on fake within 30 s; nothing"
    ) as found:
        board_of(link).sync()
    assert "mcugen flash" in found.value.hint


def test_other_firmware_is_told(host: HostModel) -> None:
    link = fake(host, refused={"info": "Unknown command: info"})
    with pytest.raises(DeviceError, match=r"runs other firmware: .*Unknown command") as found:
        board_of(link).info()
    assert "mcugen flash" in found.value.hint
    link = fake(host, edit={"info": lambda lines: ["m-info-board-[x]", "m-ready"]})
    with pytest.raises(DeviceError, match="gives no model hash"):
        board_of(link).info()


def test_error_lines_say_what_the_board_refuses(host: HostModel) -> None:
    link = fake(host, refused={"core": "core: their number is 1"})
    with pytest.raises(RefusedError, match="refuses 'core 3': core: their number is 1"):
        board_of(link).core(3)
    assert board_of(fake(host, refused={"layers": "no trace"})).layers(1, 1.0) == ()


def cut(text: str, *, to: int) -> object:
    """An answer whose lines that start so lose their end."""
    return lambda lines: [line[:to] if line.startswith(text) else line for line in lines]


def cut_second(text: str, *, to: int) -> object:
    """The same for the last of them only."""

    def edit(lines: list[str]) -> list[str]:
        last = max(i for i, line in enumerate(lines) if line.startswith(text))
        return [line[:to] if i == last else line for i, line in enumerate(lines)]

    return edit


def without(text: str) -> object:
    return lambda lines: [line for line in lines if not line.startswith(text)]


DAMAGED = {
    "each": (cut("m-each-[", to=20), "each 5", r"the line 'm-each-\[500,500,500,'"),
    "each, lines lost": (without("m-each-["), "each 5", "0 times in m-each"),
    "each, end lost": (without("m-each-done"), "each 5", "no line 'm-each-done-5'"),
    "infer, a mark lost": (without("m-lap"), "infer 5 0", "1 lines m-lap-us-N, expected 2"),
    "infer, a mark damaged": (cut("m-lap-us-", to=9), "infer 5 0", "the line 'm-lap-us-'"),
    "infer, a mark cut": (cut_second("m-lap-us-", to=14), "infer 5 0", "marks at"),
    "infer, end lost": (without("m-infer-done"), "infer 5 0", "no line 'm-infer-done'"),
    "layers": (cut("m-layer-0", to=12), "layers 2", "the line 'm-layer-0-60'"),
    "layers, one lost": (without("m-layer-0"), "layers 2", "layers are missing: 1"),
    "output": (cut("m-output-0-", to=20), "output 0", "the line 'm-output-0-"),
    "output, lines lost": (without("m-output-0-0"), "output 0", "a line at byte 32, expected 0"),
    "power, readings lost": (without("m-power-"), "power 5 0 1000", "0 lines m-power"),
    "selftest": (without("m-selftest"), "selftest", "0 lines m-selftest"),
}


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_damaged_answers_are_errors_that_show_lines(host: HostModel, name: str) -> None:
    edit, command, message = DAMAGED[name]
    word = command.split()[0]
    link = fake(host, edit={word: edit})
    board = board_of(link)
    calls = {
        "each": lambda: board.each(5, 1.0),
        "infer": lambda: board.infer(5, 0, 1.0),
        "layers": lambda: board.layers(2, 1.0),
        "output": lambda: board.output(0, 40),
        "power": lambda: board.power(5, 0, 1000, 1.0),
        "selftest": lambda: board.selftest(),
    }
    with pytest.raises(DeviceError, match=r"is damaged: .*" + message) as found:
        calls[word]()
    assert "the last lines were" in found.value.message
    assert "cable" in found.value.hint


def test_marks_that_the_host_saw_otherwise_are_no_measure(host: HostModel) -> None:
    def slower(lines: list[str]) -> list[str]:
        late = "m-lap-us-" + str(10_000_000 + int(lines[0].removeprefix("m-lap-us-")))
        return [late, *lines[1:]]

    board = board_of(fake(host, edit={"infer": slower}))
    with pytest.raises(
        DeviceError, match=r"10\.0\d+ s by the board's clock, 0\.0\d+ s by the host"
    ):
        board.infer(5, 0, 1.0)


def test_a_wrong_byte_in_an_output_does_not_pass_its_checksum(host: HostModel) -> None:
    def flip(lines: list[str]) -> list[str]:
        return [line.replace("[00", "[01", 1) for line in lines]

    board = board_of(fake(host, edit={"output": flip}))
    with pytest.raises(DeviceError, match="do not fit their checksum"):
        board.output(0, 40)


def test_an_answer_without_an_end_runs_into_its_limit(host: HostModel) -> None:
    board = board_of(fake(host, edit={"each": lambda lines: lines[:-1]}))
    with pytest.raises(DeviceError, match="no whole answer to 'each 3' on fake within") as found:
        board.each(3, 5.0)
    assert "m-each-done-3" in found.value.message
    assert "reset the board" in found.value.hint


def test_logs_between_the_lines_are_passed_over_garbage_is_not(host: HostModel) -> None:
    noisy = fake(host, edit={"each": lambda lines: ["I (123) wifi: off", "\x7f~", *lines]})
    assert len(board_of(noisy).each(3, 1.0)) == 3
    garbage = fake(host, edit={"each": lambda lines: ["\x10\x11"] * 100})
    with pytest.raises(DeviceError, match="sends no answer to 'each 3' but other text"):
        board_of(garbage).each(3, 1.0)


def test_a_line_that_never_ends_is_no_hang(host: HostModel) -> None:
    link = fake(host)
    link._queue.append((0.0, b"m" * 3_000_000))
    with pytest.raises(DeviceError, match="fake sent 3,000,000 bytes without an end of line"):
        board_of(link).each(3, 100.0)


def test_results_may_be_a_long_line(host: HostModel) -> None:
    def long(lines: list[str]) -> list[str]:
        return [f"m-results-[{'0.000,' * 500_000}]" if "results" in x else x for x in lines]

    link = fake(host, edit={"infer": long}, said={"outputs": "f32:500000:2000000"})
    board = board_of(link)
    board.info()
    assert board.infer(2, 0, 1.0).inferences == 2


def test_a_pseudo_terminal_is_a_port_and_may_vanish(host: HostModel, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    os = pytest.importorskip("os")
    master, slave = pty.openpty()
    link = fake(host)

    def serve() -> None:
        while True:
            try:
                data = os.read(master, 100)
            except OSError:
                return
            if b"x" in data:
                os.close(master)
                return
            link.write(data.replace(b"\n", b""))
            while answer := link.read(2.0):
                os.write(master, answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = SerialLink(os.ttyname(slave))
    os.close(slave)
    board = Board(port, [].append)
    board.sync()
    assert len(board.each(20, 2.0)) == 20
    port.set_baud(ENERGY_BAUD)
    with pytest.raises(DeviceError, match="vanished") as found:
        port.write(b"x")
        thread.join(2.0)
        for _ in range(3):
            port.read(0.2)
    assert "cable" in found.value.hint
    port.close()
    with pytest.raises(DeviceError, match="cannot be opened"):
        SerialLink(str(tmp_path / "none"))


def test_a_device_that_is_no_serial_port_is_told() -> None:
    with pytest.raises(DeviceError, match="port /dev/null cannot be opened") as found:
        SerialLink("/dev/null")
    assert "no serial port" in found.value.hint


def test_what_a_port_sends_is_no_command_to_the_terminal(host: HostModel) -> None:
    link = fake(host, edit={"each": lambda lines: ["\x1b[2Jgone", *lines[:-1]]})
    with pytest.raises(DeviceError, match="no whole answer") as found:
        board_of(link).each(3, 5.0)
    assert "\\x1b[2Jgone" in found.value.message and "\x1b" not in found.value.message
