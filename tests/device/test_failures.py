"""Every known failure in a tool's output: its error, its way out, its exit code.

The texts follow the wording of PlatformIO 6, esptool 4 and 5, picotool 2, OpenOCD 0.12, GNU ld.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from device.folders import exported
from mcugen.device.failures import FAILURES, explain
from mcugen.errors import DeviceError, DoesNotFitError, McugenError

CASES: dict[str, tuple[str, str, str, str]] = {
    # id: (board, output, in the message, in the hint)
    "self-test": ("host", "FAIL: layer 2 differs\nmake: *** [run] Error 1", "layer 2", "check"),
    "git": (
        "pico_w",
        "UserSideException: Please install Git client from https://git-scm.com/downloads",
        "git is not installed",
        "install git",
    ),
    "network": (
        "esp32s3",
        "Platform Manager: Installing espressif32 @ 6.13.0\nHTTPClientError: ",
        "no network?",
        "HTTPS_PROXY",
    ),
    "network-git": (
        "pico_w",
        "Cloning into '/core/.cache/tmp/pkg-installing-x'...\nfatal: unable to access "
        "'https://github.com/maxgerhardt/platform-raspberrypi.git/': Could not resolve host: "
        "github.com\nVCSBaseException: VCS: Could not process command ['git', 'clone']",
        "could not be downloaded",
        "first build",
    ),
    "network-component": (
        "esp32s3",
        "ERROR: Cannot establish a connection to the component registry. Are you connected to the "
        "internet?",
        "no network?",
        "first build",
    ),
    "package": (
        "esp32s3",
        "UnknownPackageError: Could not find the package with 'espressif32 @ 99' requirements",
        "no 'espressif32 @ 99'",
        "platformio.ini",
    ),
    "board-id": (
        "esp32s3",
        "Error: Unknown board ID 'esp32-s9'",
        "does not know the board 'esp32-s9'",
        "platformio.ini",
    ),
    "flash-size": (
        "pico_w",
        "Error: The program size (2500000 bytes) is greater than maximum allowed (2097152 bytes)\n"
        "*** [checkprogsize] Explicit exit, status 1",
        "takes 2500000 bytes of flash, Raspberry Pi Pico W has 2097152",
        "--selftest none",
    ),
    "overflow": (
        "esp32s3",
        "ld: firmware.elf section `.dram0.bss' will not fit in region `dram0_0_seg'\n"
        "ld: region `dram0_0_seg' overflowed by 41000 bytes\ncollect2: error: ld returned 1",
        "41000 bytes too large for the memory 'dram0_0_seg'",
        "smaller model",
    ),
    "real-flash": (
        "esp32s3",
        "A fatal error occurred: File 'firmware.bin' (length 5000000) at offset 0x00010000 will "
        "not fit in 4194304 bytes of flash. Change the flash_size argument or flashing address.",
        "the 4194304 bytes of flash that this board really has",
        "mcugen boards",
    ),
    "disk": (
        "esp32s3",
        "OSError: [Errno 28] No space left on device",
        "the disk is full",
        "pio system prune",
    ),
    "no-compiler": (
        "host",
        "make: cc: No such file or directory\nmake: *** [Makefile:20: build/m.o] Error 127",
        "not installed: cc",
        "CC='python -m ziglang cc'",
    ),
    "no-zig": (
        "pico_w_bare",
        "/usr/bin/python3: No module named ziglang\nmake: *** [Makefile:44: a.o] Error 1",
        "the C compiler of Raspberry Pi Pico W, bare is not installed",
        "mcugen[bench]",
    ),
    "permission": (
        "esp32s3",
        "A fatal error occurred: Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n"
        "([Errno 13] could not open port /dev/ttyUSB0: [Errno 13] Permission denied: "
        "'/dev/ttyUSB0')\n\nHint: Try to add user into dialout or uucp group.",
        "no permission to use /dev/ttyUSB0",
        "usermod -aG dialout",
    ),
    "vanished": (
        "esp32s3",
        "A fatal error occurred: Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n"
        "([Errno 2] could not open port /dev/ttyUSB0: [Errno 2] No such file or directory: "
        "'/dev/ttyUSB0')",
        "the port /dev/ttyUSB0 is not there",
        "still plugged in",
    ),
    "busy": (
        "esp32s3",
        "A fatal error occurred: Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n"
        "([Errno 11] Could not exclusively lock port /dev/ttyUSB0: [Errno 11] Resource temporarily "
        "unavailable)",
        "in use by another program",
        "close serial monitors",
    ),
    "busy-windows": (
        "esp32s3",
        "A fatal error occurred: Could not open COM4, the port is busy or doesn't exist.\n"
        "(could not open port 'COM4': PermissionError(13, 'Access is denied.', None, 5))",
        "the port COM4 is in use",
        "close serial monitors",
    ),
    "wrong-chip": (
        "esp32s3",
        "A fatal error occurred: This chip is ESP32-C3 not ESP32-S3. Wrong --chip argument?",
        "an ESP32-C3, the project is for ESP32-S3",
        "--port",
    ),
    "wrong-chip-5": (
        "esp32s3",
        "A fatal error occurred: This chip is ESP32-C6, not ESP32-S3. Wrong chip argument?",
        "an ESP32-C6, the project is for ESP32-S3",
        "--port",
    ),
    "wrong-mode": (
        "esp32s3",
        "A fatal error occurred: Failed to connect to ESP32-S3: Wrong boot mode detected (0x8)! "
        "The chip needs to be in download mode.",
        "not in download mode",
        "hold BOOT",
    ),
    "no-answer": (
        "esp32s3",
        "Connecting......................................\n\n"
        "A fatal error occurred: Failed to connect to ESP32-S3: No serial data received.",
        "does not answer at this port",
        "hold BOOT",
    ),
    "broken": (
        "esp32s3",
        "Writing at 0x00014000... (20 %)\nA serial exception error occurred: device reports "
        "readiness to read but returned no data (device disconnected or multiple access on port?)",
        "broke while it was written",
        "another cable",
    ),
    "bootsel-permission": (
        "pico_w",
        "No accessible RP-series devices in BOOTSEL mode were found.\n\nbut:\n\nDevice at bus 1, "
        "address 7 appears to be in BOOTSEL mode, but picotool was unable to connect. Maybe try "
        "'sudo' or check your permissions.",
        "this user may not access it",
        "udev rules",
    ),
    "bootsel": (
        "pico_w",
        "No accessible RP-series devices in BOOTSEL mode were found.\n*** [upload] Error 249",
        "is not in BOOTSEL mode",
        "hold BOOTSEL while plugging",
    ),
    "bootsel-1": (
        "pico_w",
        "No accessible RP2040/RP2350 devices in BOOTSEL mode were found.",
        "is not in BOOTSEL mode",
        "hold BOOTSEL while plugging",
    ),
    "probe-permission": (
        "nucleo_f446",
        "Error: libusb_open() failed with LIBUSB_ERROR_ACCESS\nError: open failed",
        "no permission to use the debug probe",
        "udev rules",
    ),
    "probe-driver": (
        "nucleo_f446",
        "Error: libusb_open() failed with LIBUSB_ERROR_NOT_SUPPORTED\nError: open failed",
        "no driver",
        "ST-LINK",
    ),
    "no-probe": (
        "nucleo_f446",
        "Error: open failed\nin procedure 'program'\n** OpenOCD init failed **",
        "no ST Nucleo F446RE found",
        "USB connector",
    ),
    "no-target": (
        "nucleo_f446",
        "Error: init mode failed (unable to connect to the target)\n** OpenOCD init failed **",
        "the processor of ST Nucleo F446RE does not",
        "reset button",
    ),
    "no-port": (
        "pico_w",
        "Error: Please specify `upload_port` for environment or use global `--upload-port` option.",
        "no Raspberry Pi Pico W found to write to",
        "hold BOOTSEL",
    ),
    "compile": (
        "pico_w",
        "{folder}/src/main.cpp:12:5: error: 'digits' was not declared in this scope\n"
        "*** [.pio/build/pico_w/src/main.cpp.o] Error 1",
        "src/main.cpp, line 12: 'digits' was not declared in this scope",
        "--force",
    ),
    "link": (
        "pico_w",
        "ld: main.cpp.o: in function `setup':\nmain.cpp:9: undefined reference to `digits_run'",
        "nothing defines 'digits_run'",
        "--force",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_known_failure(tmp_path: Path, name: str) -> None:
    board, output, message, hint = CASES[name]
    error = explained(tmp_path, board, output)
    assert message in error.message
    assert hint in error.hint and "build.log" in error.hint
    assert error.exit_code == (3 if name in ("flash-size", "overflow", "real-flash") else 1)
    assert "{" not in error.message + error.hint


def explained(folder: Path, board: str, output: str) -> McugenError:
    project = exported(folder, board)
    lines = output.replace("{folder}", str(project.path)).splitlines()
    return explain(lines, project, Path("build.log"), "PlatformIO", 1)


def test_every_row_is_tested(tmp_path: Path) -> None:
    import re

    texts = [output for _, output, _, _ in CASES.values()]
    silent = [
        failure.pattern
        for failure in FAILURES
        if not any(re.search(failure.pattern, t.replace("{folder}/", ""), re.M) for t in texts)
    ]
    assert silent == []


def test_an_unknown_failure_shows_the_last_lines(tmp_path: Path) -> None:
    lines = [f"line {i}" for i in range(30)]
    error = explained(tmp_path, "pico_w", "\n".join([*lines, "", "=" * 40]))
    assert isinstance(error, DeviceError) and not isinstance(error, DoesNotFitError)
    first, *shown = error.message.splitlines()
    assert first == "PlatformIO failed (exit code 1); its last lines:"
    assert shown == [f"  line {i}" for i in range(18, 30)]
    assert error.hint == "the whole output is in build.log"
    assert explained(tmp_path / "b", "pico_w", "").message.endswith("and said nothing")
