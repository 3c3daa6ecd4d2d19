"""What is shown of a build's output."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcugen.device.output_filter import Kind, OutputFilter

PROJECT = Path("/home-of/project")


@pytest.mark.parametrize(
    ("line", "kind", "stage"),
    [
        ("src/main.cpp:3:5: error: 'x' was not declared in this scope", Kind.ERROR, ""),
        ("/home-of/project/lib/m/src/m.c:3: undefined reference to `f'", Kind.ERROR, ""),
        ("src/main.c:1:10: fatal error: model.h: No such file or directory", Kind.ERROR, ""),
        ("region `FLASH' overflowed by 12 bytes", Kind.ERROR, ""),
        ("*** [.pio/build/pico_w/src/main.cpp.o] Error 1", Kind.ERROR, ""),
        ("HTTPClientError: ", Kind.ERROR, ""),
        ("A fatal error occurred: Failed to connect to ESP32-S3: No serial data", Kind.ERROR, ""),
        ("No accessible RP-series devices in BOOTSEL mode were found.", Kind.ERROR, ""),
        ("make: *** [Makefile:20: run] Error 1", Kind.ERROR, ""),
        ("src/main.cpp:9:1: warning: unused variable 'x'", Kind.WARNING, ""),
        ("/home-of/project/lib/m/src/m.c:9:1: warning: unused", Kind.WARNING, ""),
        (".pio/libdeps/pico_w/CMSIS-NN/a.c:9:1: warning: unused", Kind.NOISE, ""),
        ("/opt/framework/src/wifi.c:9:1: warning: deprecated", Kind.NOISE, ""),
        ("Warning! The data size (9 bytes) is greater than maximum allowed", Kind.WARNING, ""),
        ("Warning! Please install `99-platformio-udev.rules`.", Kind.NOISE, ""),
        (
            "Tool Manager: Installing platformio/toolchain-x @ 1.0",
            Kind.NOTE,
            "installing platformio/toolchain-x @ 1.0",
        ),
        ("Uploading .pio/build/x/firmware.elf", Kind.NOTE, "uploading .pio/build/x/firmware.elf"),
        ("Auto-detected: /dev/ttyACM0", Kind.NOTE, "port /dev/ttyACM0"),
        ("PASS: 8 layer outputs", Kind.NOTE, "self-test: PASS: 8 layer outputs"),
        ("Downloading  [####]  30%", Kind.STAGE, "downloading 30%"),
        ("Unpacking", Kind.STAGE, "downloading"),
        ("Writing at 0x00010000... (12 %)", Kind.STAGE, "writing 12 %"),
        ("Writing at 0x00010000 [====>    ]  45.5% 8192/16384 bytes", Kind.STAGE, "writing 45.5%"),
        ("Loading into Flash: [====    ]  37%", Kind.STAGE, "writing 37%"),
        ("Verifying Flash:    [========]  100%", Kind.STAGE, "verifying 100%"),
        ("** Programming Started **", Kind.STAGE, "writing"),
        ("Linking .pio/build/x/firmware.elf", Kind.STAGE, "linking .pio/build/x/firmware.elf"),
        ("Looking for upload port...", Kind.STAGE, "looking for the board"),
        ("Connecting....", Kind.STAGE, "the board: Connecting"),
        ("Compiling .pio/build/x/src/main.c.o", Kind.STAGE, "compiling main.c.o (1)"),
        ("cc -O2 -c -o build/m.o lib/m/src/m.c", Kind.STAGE, "compiling m.c (1)"),
        ("python -m ziglang cc -O2 -c -o m.o src/m.c", Kind.STAGE, "compiling m.c (1)"),
        ("RAM:   [==  ]  20.3% (used 53260 bytes from 262144 bytes)", Kind.NOISE, ""),
        ("- star it on GitHub > https://github.com/platformio/platformio-core", Kind.NOISE, ""),
        ("", Kind.NOISE, ""),
    ],
)
def test_how_much_a_line_matters(line: str, kind: Kind, stage: str) -> None:
    seen = OutputFilter(PROJECT).feed(line)
    assert (seen.kind, seen.stage) == (kind, stage)
    assert "/home-of/project" not in seen.text


def test_the_source_below_a_message_belongs_to_it() -> None:
    lines = OutputFilter(PROJECT)
    text = (
        "src/main.c:3:5: error: unknown type name 'int9'",
        "    3 |     int9 x;",
        "      |     ^~~~",
        "Compiling .pio/build/x/src/b.c.o",
        "    3 |     this is of a warning that nobody wants",
    )
    kinds = [lines.feed(line).kind for line in text]
    assert kinds == [Kind.ERROR, Kind.ERROR, Kind.ERROR, Kind.STAGE, Kind.NOISE]


def test_compiled_files_are_counted() -> None:
    lines = OutputFilter(PROJECT)
    stages = [lines.feed(f"Compiling .pio/build/x/{n}.c.o").stage for n in "ab"]
    assert stages == ["compiling a.c.o (1)", "compiling b.c.o (2)"]
