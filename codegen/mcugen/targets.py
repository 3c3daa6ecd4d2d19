"""Boards: data read from `targets/NAME/target.toml` or from a file of the user's, no Python."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcugen import resources
from mcugen.board_file import Scalar, Table, read_with_bases
from mcugen.errors import UsageError
from mcugen.names import identifier
from mcugen.ops.spec import Core

Values = Mapping[str, Scalar]


@dataclass(frozen=True)
class CrossCompiler:
    """How code for the board's core is compiled for measuring, not for the firmware itself.

    Attributes:
        zig: arguments of `zig cc` that choose the core; empty where the host's compiler is asked.
        gcc: arguments of a GCC for the core; empty where there is none.
        optimize: optimisation flag of the exported project.
        exact: whether this is the board's own instruction set; sizes are estimates otherwise.
    """

    zig: tuple[str, ...]
    gcc: tuple[str, ...]
    optimize: str
    exact: bool


@dataclass(frozen=True)
class Memory:
    """Address ranges of flash and RAM, nothing reserved."""

    flash_origin: int
    flash_bytes: int
    ram_origin: int
    ram_bytes: int

    @property
    def flash_end(self) -> int:
        """Address behind the flash."""
        return self.flash_origin + self.flash_bytes

    @property
    def ram_end(self) -> int:
        """Address behind the RAM."""
        return self.ram_origin + self.ram_bytes


@dataclass(frozen=True)
class Emulator:
    """What an emulator runs in place of the board.

    Attributes:
        cpu: the core, one of `mcugen.emulate.cores`; "" where no emulator has it.
        reason: why there is none; "" otherwise.
        memory: where a program lies.
        boots: the board whose firmware an emulator of the whole board boots; "" where none does.
    """

    cpu: str
    reason: str
    memory: Memory
    boots: str


@dataclass(frozen=True)
class Readme:
    """Lines of an exported project's README: commands, and notes in Markdown."""

    build: str
    flash: str
    notes: tuple[str, ...]


EMULATED_PAGE_BYTES = 4096
"""What memories of an emulator start and end at multiples of."""

AUTO, INTERNAL, PSRAM = ARENA_MEMORIES = ("auto", "internal", "psram")
PLATFORMIO, UF2 = "platformio", "uf2"
PORT_USES = ("needed", "optional", "none")


@dataclass(frozen=True)
class Device:
    """How an exported project is built and gets onto the board.

    Attributes:
        build: "platformio", or a command that is run in the project's folder.
        flash: "platformio"; "uf2" for a file that is copied onto the drive which the board shows;
            "" for a board that is not flashed.
        flash_port: whether that goes through the serial port: "needed", "optional", "none".
        usb: serial ports that may be the board's, as "VID:PID" of four hexadecimal digits each.
        boot_usb: the board's own while it waits for firmware and has no serial port.
        boot_hint: what brings it there.
        firmware: the ELF file in the built project, a glob pattern.
        uf2: the file to be copied, likewise.
        uf2_board: what INFO_UF2.TXT on the drive calls the board.
    """

    build: str
    flash: str
    flash_port: str
    usb: tuple[str, ...]
    boot_usb: tuple[str, ...]
    boot_hint: str
    firmware: str
    uf2: str
    uf2_board: str


@dataclass(frozen=True)
class Target:
    """One board.

    Attributes:
        name: the folder's name; also the environment in platformio.ini.
        title: what a person calls it.
        processor: core and what it has.
        clock_hz: as the exported project sets it.
        kernels: kernel library that `--kernels auto` prefers.
        libraries: vendors' kernel libraries that run on it.
        core: what vendor kernels' working memory depends on.
        ram_bytes: for the application's static data and the inference's stack: what is left of
            the board's RAM after the reserve that target.toml documents.
        flash_bytes: for weights, code and self-test data, likewise.
        ram_reserve_bytes: that reserve: what firmware without a model takes, heap and stacks too.
        flash_reserve_bytes: likewise.
        psram_bytes: external RAM for an arena that is larger than `ram_bytes`; 0 without.
        psram_section: linker section of static data in external RAM; "" without.
        compiler: for measuring code size and stack.
        emulator: for measuring without the board.
        platformio: keys of the environment in platformio.ini, as they are written there; none:
            the board's projects are not built by PlatformIO.
        device: how the project gets onto the board.
        firmware: folders below `firmware/` whose C goes into the project's `src/`: the functions
            of the board's framework that the firmware application calls.
        copies: folder in the exported project -> folder below `firmware/` whose files it holds.
        files: path in the exported project -> template.
        values: what the board's own templates need besides.
        readme: for the project's README.
        folders: where templates are looked for: the board's own folder, then its bases'.
        arena_memory: where the user wants the arena, one of ARENA_MEMORIES.
    """

    name: str
    title: str
    processor: str
    clock_hz: int
    kernels: str
    libraries: tuple[str, ...]
    core: Core
    ram_bytes: int
    flash_bytes: int
    ram_reserve_bytes: int
    flash_reserve_bytes: int
    psram_bytes: int
    psram_section: str
    compiler: CrossCompiler
    emulator: Emulator
    platformio: Values
    device: Device
    firmware: tuple[str, ...]
    copies: Mapping[str, str]
    files: Mapping[str, str]
    values: Values
    readme: Readme
    folders: tuple[Path, ...]
    arena_memory: str = AUTO

    def firmware_files(self) -> dict[str, str]:
        """File name -> text of the C in the `firmware` folders."""
        return {n: t for folder in self.firmware for n, t in _firmware_texts(folder).items()}

    def copied_files(self) -> dict[str, str]:
        """Path in the exported project -> text of what `copies` names."""
        return {
            f"{place}/{n}": t
            for place, folder in self.copies.items()
            for n, t in _firmware_texts(folder).items()
        }

    def ram_for(self, need_bytes: int) -> int:
        """RAM that static data of this size may use: external RAM when internal is too small."""
        if self.arena_memory == PSRAM:
            return self.psram_bytes
        if self.arena_memory == INTERNAL or need_bytes <= self.ram_bytes:
            return self.ram_bytes
        return max(self.ram_bytes, self.psram_bytes)

    def arena_section(self, need_bytes: int) -> str:
        """Linker section for the arena of a model that needs this much; "" for internal RAM."""
        outside = self.arena_memory == PSRAM or self.ram_for(need_bytes) > self.ram_bytes
        return self.psram_section if outside else ""

    def with_arena_in(self, memory: str) -> Target:
        """The board with the arena where the user wants it; "auto" leaves that to its size.

        Raises:
            UsageError: there is no such memory on the board.
        """
        if memory not in ARENA_MEMORIES:
            known = ", ".join(ARENA_MEMORIES)
            raise UsageError(f"--arena-memory must be one of {known}, got '{memory}'")
        if memory == PSRAM and not self.psram_section:
            raise UsageError(f"--arena-memory {PSRAM}: {self.title} has no external RAM")
        return dataclasses.replace(self, arena_memory=memory)


def _firmware_texts(folder: str) -> dict[str, str]:
    """File name -> text of a folder below `firmware/`, without the folders in it."""
    paths = sorted((resources.firmware() / folder).iterdir())
    return {p.name: p.read_text(encoding="utf-8") for p in paths if p.is_file()}


def board_names() -> tuple[str, ...]:
    """Names of the boards that come with mcugen, sorted."""
    return tuple(sorted(p.parent.name for p in resources.targets().glob("*/target.toml")))


def list_targets() -> tuple[Target, ...]:
    """All boards that come with mcugen, by name."""
    return tuple(load_target(name) for name in board_names())


def load_target(board: str) -> Target:
    """The board of a name, or of the path of a target.toml.

    Raises:
        UsageError: no such board (all are listed) or a wrong file (its fault is named).
    """
    path = _path_of(board, Path())
    tables, folders = read_with_bases(path, _path_of)
    return _build(tables, path, folders)


def _path_of(board: str, start: Path) -> Path:
    if board in board_names():
        return resources.targets() / board / "target.toml"
    path = start / board
    if path.suffix == ".toml" or len(Path(board).parts) > 1:
        return path / "target.toml" if path.is_dir() else path
    raise UsageError(
        f"unknown board '{board}'; boards are {', '.join(board_names())}",
        hint="a board of your own: --board path/to/target.toml",
    )


def _build(tables: dict[str, Any], path: Path, folders: tuple[Path, ...]) -> Target:
    top = Table(path, "the file", tables)
    memory, compiler, readme = top.table("memory"), top.table("compiler"), top.table("readme", {})
    files = {k: str(v) for k, v in top.table("files").scalars().items()}
    copies = {k: str(v) for k, v in top.table("copies", {}).scalars().items()}
    for name in files.values():
        if not any((folder / name).is_file() for folder in folders):
            raise UsageError(f"{path}: template '{name}' is not in {folders[0]}")
    target = Target(
        name=_name(path),
        title=top.text("title"),
        processor=top.text("processor"),
        clock_hz=top.count("clock_hz", least=1),
        kernels=top.text("kernels", "portable"),
        libraries=top.lines("libraries"),
        core=_core(top.text("core", "plain"), path),
        ram_bytes=_usable(memory, "ram", path),
        flash_bytes=_usable(memory, "flash", path),
        ram_reserve_bytes=_reserve(tables["memory"], "ram"),
        flash_reserve_bytes=_reserve(tables["memory"], "flash"),
        psram_bytes=_usable(memory, "psram", path, 0),
        psram_section=memory.text("psram_section", ""),
        compiler=CrossCompiler(
            compiler.lines("zig"),
            compiler.lines("gcc"),
            compiler.text("optimize", "-O2"),
            compiler.flag("exact", False),
        ),
        emulator=_emulator(top.table("emulator", {}), tables["memory"], path),
        platformio=top.table("platformio", {}).scalars(),
        device=_device(top.table("device", {}), path),
        firmware=_firmware(top.lines("firmware"), path),
        copies=dict(zip(copies, _firmware(tuple(copies.values()), path), strict=True)),
        files=files,
        values=top.table("values", {}).scalars(),
        readme=Readme(
            readme.text("build", "pio run"),
            readme.text("flash", "pio run -t upload -t monitor"),
            readme.lines("notes"),
        ),
        folders=folders,
    )
    for table in (memory, compiler, readme, top):
        table.finish()
    if target.device.build == PLATFORMIO and not target.platformio:
        raise UsageError(f"{path}: without platformio, device must say how to build: 'build'")
    return target


def _emulator(table: Table, sizes: Mapping[str, Any], path: Path) -> Emulator:
    """The `[emulator]` table; the memories' sizes are those of `[memory]`, RAM the larger one's."""
    memory = Memory(
        flash_origin=table.count("flash_origin", 0),
        flash_bytes=int(sizes["flash_bytes"]),
        ram_origin=table.count("ram_origin", 0),
        ram_bytes=max(int(sizes["ram_bytes"]), int(sizes.get("psram_bytes", 0))),
    )
    cpu, reason = table.text("cpu", ""), table.text("reason", "")
    boots = table.text("boots", "")
    found = Emulator(cpu, "" if cpu else reason, memory, boots)  # a base's reason does not count
    table.finish()
    if found.cpu:
        _require_emulable(memory, path)
    return found


def _require_emulable(memory: Memory, path: Path) -> None:
    if memory.flash_end > memory.ram_origin and memory.ram_end > memory.flash_origin:
        raise UsageError(f"{path}: flash and RAM overlap in emulator")
    for kind, origin in (("flash", memory.flash_origin), ("ram", memory.ram_origin)):
        if origin % EMULATED_PAGE_BYTES:
            raise UsageError(
                f"{path}: '{kind}_origin' in emulator must be a multiple of "
                f"{EMULATED_PAGE_BYTES}, got {origin:#x}"
            )
    if max(memory.flash_end, memory.ram_end) > 1 << 32:
        raise UsageError(f"{path}: flash and RAM in emulator must end within 32-bit addresses")


def _device(table: Table, path: Path) -> Device:
    """The `[device]` table; by default PlatformIO builds and flashes through the serial port."""
    found = Device(
        build=table.text("build", PLATFORMIO),
        flash=table.text("flash", PLATFORMIO),
        flash_port=table.text("flash_port", PORT_USES[0]),
        usb=tuple(item.lower() for item in table.lines("usb")),
        boot_usb=tuple(item.lower() for item in table.lines("boot_usb")),
        boot_hint=table.text("boot_hint", ""),
        firmware=table.text("firmware", ".pio/build/*/firmware.elf"),
        uf2=table.text("uf2", ""),
        uf2_board=table.text("uf2_board", ""),
    )
    table.finish()
    _one_of(found.flash, (PLATFORMIO, UF2, ""), "flash", path)
    _one_of(found.flash_port, PORT_USES, "flash_port", path)
    for item in (*found.usb, *found.boot_usb):
        if not re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", item):
            raise UsageError(f"{path}: USB ids in device must be like '2e8a:000a', got '{item}'")
    if found.flash == UF2 and not (found.uf2 and found.uf2_board):
        raise UsageError(f"{path}: flash = 'uf2' in device needs 'uf2' and 'uf2_board' too")
    return found


def _firmware(names: tuple[str, ...], path: Path) -> tuple[str, ...]:
    for name in names:
        if not (resources.firmware() / name).is_dir():
            raise UsageError(f"{path}: there is no firmware folder '{name}'")
    return names


def _one_of(value: str, allowed: tuple[str, ...], key: str, path: Path) -> None:
    if value not in allowed:
        names = ", ".join(f"'{item}'" for item in allowed)
        raise UsageError(f"{path}: {key} in device must be one of {names}, got '{value}'")


def _name(path: Path) -> str:
    """The folder's name for a `target.toml`, else the file's own; usable in platformio.ini."""
    path = path.resolve()
    return identifier(path.parent.name if path.name == "target.toml" else path.stem, "board")


def _core(name: str, path: Path) -> Core:
    known = [c.value for c in Core]
    if name not in known:
        raise UsageError(f"{path}: core must be one of {', '.join(known)}, got '{name}'")
    return Core(name)


def _reserve(sizes: Mapping[str, Any], kind: str) -> int:
    """Already checked by `_usable`."""
    return int(sizes.get(f"{kind}_reserve_bytes", 0))


def _usable(memory: Table, kind: str, path: Path, default: int | None = None) -> int:
    total = memory.count(f"{kind}_bytes", default)
    reserve = memory.count(f"{kind}_reserve_bytes", 0)
    if reserve > total:
        raise UsageError(f"{path}: {kind}_reserve_bytes is larger than {kind}_bytes")
    return total - reserve
