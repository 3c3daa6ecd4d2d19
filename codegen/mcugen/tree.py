"""Writes a folder of text files whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mcugen.errors import UsageError


def write_tree(
    files: Mapping[str, str], directory: Path, *, mark: str, force: bool, keep: str = ""
) -> Path:
    """Write the files below `directory`: afterwards it holds exactly them, or is as before.

    They are written to a temporary folder beside it, which is then renamed.

    Args:
        files: relative path -> text.
        directory: where to; its parents are made.
        mark: a file that only folders written by mcugen hold.
        force: replace a folder that holds `mark`, everything in it but `keep`.
        keep: a folder in it that outlives that; "" for none.

    Returns:
        The directory, absolute.

    Raises:
        UsageError: the directory exists and must not be replaced, or cannot be written.
    """
    target = directory.absolute()
    _check_replaceable(target, directory, mark, force)
    made: list[Path] = []
    staging: Path | None = None
    try:
        _make_parents(target.parent, made)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        staging.chmod(0o755)
        for name, text in files.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        _swap(staging, target, keep)
    except BaseException as error:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
        for folder in reversed(made):
            folder.rmdir()
        if isinstance(error, OSError):
            text = f"{directory} cannot be written: {error.strerror or error}"
            raise UsageError(text) from error
        raise
    return target


def _check_replaceable(target: Path, shown: Path, mark: str, force: bool) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{shown} exists and is not a folder")
    if not target.exists():
        return
    if target.resolve() == Path.cwd().resolve():
        raise UsageError(f"{shown} is the current folder: name a folder to write instead")
    if not any(target.iterdir()):
        return
    if not force:
        raise UsageError(f"{shown} exists", hint="--force replaces it, everything in it")
    if not (target / mark).is_file():
        raise UsageError(f"{shown} was not written by mcugen and is not replaced, even by --force")


def _make_parents(folder: Path, made: list[Path]) -> None:
    if not folder.is_dir():
        _make_parents(folder.parent, made)
        folder.mkdir()
        made.append(folder)


def _swap(staging: Path, target: Path, keep: str) -> None:
    """Rename `staging` to `target`; what was there before goes only once that has worked."""
    if not target.exists():
        staging.rename(target)
        return
    old = staging.with_name(f"{staging.name}.old")
    target.rename(old)
    try:
        staging.rename(target)
    except OSError:
        old.rename(target)
        raise
    if keep and (old / keep).is_dir():
        (old / keep).rename(target / keep)
    shutil.rmtree(old, ignore_errors=True)
