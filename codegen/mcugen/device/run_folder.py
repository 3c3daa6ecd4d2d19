"""Folders of runs: DIR/measurements/run-001 and so on, each written whole, none ever replaced."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from mcugen.errors import UsageError
from mcugen.project import MEASUREMENTS

_ATTEMPTS = 1000


def write_run(project: Path, write: Callable[[Path], None]) -> Path:
    """The new run's folder.

    Args:
        project: an exported project's folder.
        write: puts the files into a folder, which then becomes the run's.

    Raises:
        UsageError: it cannot be written; nothing is left then.
    """
    home = project / MEASUREMENTS
    staging = None
    try:
        home.mkdir(exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".run-", dir=home))
        staging.chmod(0o755)
        write(staging)
        return _publish(staging, home)
    except OSError as error:
        raise UsageError(f"{home} cannot be written: {error.strerror or error}") from error
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def _publish(staging: Path, home: Path) -> Path:
    """Renames to the first free number; a run beside this one may take it first."""
    for _ in range(_ATTEMPTS):
        target = home / f"run-{_last(home) + 1:03d}"
        if target.exists():
            continue
        try:
            staging.rename(target)  # fails on a folder that is not empty
        except FileExistsError:
            continue
        except OSError:
            if target.exists():
                continue
            raise
        return target
    raise UsageError(f"{home} has no free number for a run")


def _last(home: Path) -> int:
    numbers = (re.fullmatch(r"run-(\d+)", p.name) for p in home.iterdir())
    return max((int(m[1]) for m in numbers if m), default=0)
