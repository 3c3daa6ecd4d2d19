"""Our plugin for QEMU, as far as it can be seen without QEMU."""

from __future__ import annotations

from pathlib import Path

import pytest

from emulate.programs import image_for
from mcugen import resources
from mcugen.elf import read_sections, read_symbols
from mcugen.emulate import plugin as plugin_module
from mcugen.emulate.cross import MARK
from mcugen.emulate.plugin import Plugin, build_plugin
from mcugen.errors import McugenError
from mcugen.toolchain import STRICT_WARNINGS, Compiler, build, describe, find_compiler, zig_command


def compilers() -> list[Compiler]:
    zig = zig_command()
    return [find_compiler(), *([describe(zig)] if zig else [])]


@pytest.mark.parametrize("compiler", compilers(), ids=lambda c: Path(c.command[0]).name)
def test_it_is_strict_c(compiler: Compiler) -> None:
    files = {p.name: p.read_text() for p in (resources.firmware() / "qemu").iterdir()}
    assert build(files, compiler=compiler, flags=("-O2", *STRICT_WARNINGS)).is_file()


@pytest.mark.parametrize(("version", "api"), [("7.2.19", 1), ("8.2.0", 1), ("10.0.2", 2)])
def test_the_interface_is_that_of_qemu(
    version: str, api: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"qemu-xtensa version {version} (Debian 1:{version})"
    monkeypatch.setattr(plugin_module, "describe", lambda command: Compiler(command, text))
    flags: list[str] = []
    monkeypatch.setattr(plugin_module, "build", lambda files, flags: flags_to(flags))

    def flags_to(given: tuple[str, ...]) -> Path:
        flags.extend(given)
        return Path("plugin.so")

    assert build_plugin("qemu-xtensa") == Path("plugin.so")
    assert f"-DMCUGEN_QEMU_PLUGIN_API={api}" in flags


def test_a_qemu_that_cannot_be_run() -> None:
    with pytest.raises(McugenError, match="'no-such-qemu' cannot be run"):
        build_plugin("no-such-qemu")


def test_what_qemu_is_told(tmp_path: Path) -> None:
    image = image_for("int probe(void) { mcugen_bare_mark(); return 1; }")
    text = next(s for s in read_sections(image) if s.name == ".text")
    plugin = Plugin(Path("/a,b/plugin.so"), image, 500, tmp_path / "log")
    option, value = plugin.arguments()
    assert option == "-plugin"
    assert value == (
        f"/a,,b/plugin.so,mark={read_symbols(image)[MARK].address},from={text.address},"
        f"to={text.address + text.size},limit=500,log={tmp_path / 'log'}"
    )
    assert plugin.lines() == []
    plugin.log.write_text("3\n4\n")
    assert plugin.lines() == ["3", "4"]
