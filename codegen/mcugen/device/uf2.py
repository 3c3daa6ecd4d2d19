"""Flashes a board that shows itself as a drive: the firmware is copied onto it."""

from __future__ import annotations

import os
import re
import string
import time
from collections.abc import Iterator
from pathlib import Path

from mcugen.device.ports import in_boot_mode
from mcugen.device.project_folder import ProjectFolder
from mcugen.errors import DeviceError

INFO = "INFO_UF2.TXT"
_PLACES = ("media/*", "media/*/*", "run/media/*/*", "mnt/*", "Volumes/*")
_RESTART_S = 15.0
_BLOCK_BYTES, _MAGIC = 512, b"UF2\n\x57\x51\x5d\x9e"


def flash_uf2(project: ProjectFolder, wanted: str | None = None) -> Path:
    """The drive that the project's firmware was copied onto; the board has restarted since.

    Args:
        project: built.
        wanted: the drive's folder; by default the only one that fits.

    Raises:
        DeviceError: nothing to copy, no or several drives, or the board did not take it.
    """
    firmware = _firmware(project)
    drive = _drive(project, wanted)
    try:
        _copy(firmware, drive)
    except OSError as error:
        # the board restarts with the last block: an error then is no error
        if (drive / INFO).exists():
            raise DeviceError(
                f"{firmware.name} could not be copied to {drive}: {error.strerror or error}",
                hint="is the drive mounted for this user, and the board still plugged in?",
            ) from error
    _wait_for_restart(project, drive)
    return drive


def _firmware(project: ProjectFolder) -> Path:
    files = sorted(project.path.glob(project.device.uf2), key=lambda p: p.stat().st_mtime)
    if not files:
        raise DeviceError(
            f"there is no {project.device.uf2} in {project.path}: the build made none",
            hint="the Makefile makes it: was it changed after the export?",
        )
    data = files[-1].read_bytes()
    if not data or len(data) % _BLOCK_BYTES or not data.startswith(_MAGIC):
        raise DeviceError(f"{files[-1]} is no UF2 file", hint="delete it and build again")
    return files[-1]


def _drive(project: ProjectFolder, wanted: str | None) -> Path:
    if wanted is not None:
        if board_of(Path(wanted)) is None:
            raise DeviceError(f"--port {wanted} is no drive of a board: it holds no {INFO}")
        return Path(wanted)
    found = [d for d in mount_points() if board_of(d) == project.device.uf2_board]
    if len(found) == 1:
        return found[0]
    if found:
        drives = "\n".join(f"  {drive}" for drive in found)
        raise DeviceError(
            f"several boards show the drive of a {project.title}:\n{drives}",
            hint=f"--port {found[0]} chooses one",
        )
    if in_boot_mode(project):
        raise DeviceError(
            f"{project.title} waits for firmware, but its drive is not mounted",
            hint="mount the drive (a desktop does when you open it), or --port FOLDER",
        )
    raise DeviceError(
        f"no drive of a {project.title} found: it is not waiting for firmware",
        hint=f"{project.device.boot_hint or 'bring it into its boot loader'}, then flash again",
    )


def board_of(drive: Path) -> str | None:
    """What the drive says it is ("RPI-RP2"); None for one that is no board's."""
    try:
        text = (drive / INFO).read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = re.search(r"^Board-ID: *(\S+)", text, re.MULTILINE)
    return found[1] if found else None


def mount_points() -> Iterator[Path]:
    """Where this computer mounts drives."""
    if os.name == "nt":
        yield from (Path(f"{letter}:/") for letter in string.ascii_uppercase[2:])
        return
    for place in _PLACES:
        yield from sorted(Path("/").glob(place))


def _copy(firmware: Path, drive: Path) -> None:
    with (drive / firmware.name).open("wb") as file:
        file.write(firmware.read_bytes())
        file.flush()
        os.fsync(file.fileno())


def _wait_for_restart(project: ProjectFolder, drive: Path) -> None:
    end = time.monotonic() + _RESTART_S
    while (drive / INFO).exists():
        if time.monotonic() > end:
            raise DeviceError(
                f"{project.title} did not restart within {_RESTART_S:g} s of the copy to {drive}",
                hint="it takes firmware of its own kind only: is it this board? Else press reset",
            )
        time.sleep(0.1)
