"""An exported project as measuring needs it: its hash, its sizes, and its C built on the host."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcugen.device.project_folder import ProjectFolder, open_project
from mcugen.errors import UsageError
from mcugen.host import HostModel, build_library, standin_files
from mcugen.kernels import PORTABLE

_AGAIN = "export the model again: mcugen export ... --force"


@dataclass(frozen=True)
class MeasuredProject:
    """What is known of a project without asking the board.

    Attributes:
        folder: the project.
        model: name of the ONNX file.
        model_hash: SHA-256 of it.
        libraries: kernel libraries that the C calls.
        arena_bytes, flash_bytes: of the model.
        said: what its firmware answers to `info`, by key, as far as the project tells.
    """

    folder: ProjectFolder
    model: str
    model_hash: str
    libraries: tuple[str, ...]
    arena_bytes: int
    flash_bytes: int
    said: Mapping[str, str]

    @property
    def prefix(self) -> str:
        """Of all C names."""
        return self.folder.model


def load_project(path: Path) -> MeasuredProject:
    """The project that `mcugen export` wrote to this folder.

    Raises:
        UsageError: it is no such folder, or a file of it is missing or damaged.
    """
    folder = open_project(path)
    header = folder.path / "lib" / folder.model / "include" / f"{folder.model}.h"
    text = _text(header)
    found = re.search(r'_MODEL_HASH "([0-9a-f]{64})"', text)
    if found is None:
        raise UsageError(f"{header} names no model hash", hint=_AGAIN)
    arena = re.search(r"_ARENA_BYTES (\d+)", text)  # of an empty plan it is not 0 but C's least
    try:
        report = json.loads(_text(folder.path / "report.json"))
        return MeasuredProject(
            folder=folder,
            model=str(report["model"]),
            model_hash=found[1],
            libraries=tuple(sorted({str(n["library"]) for n in report["nodes"]} - {PORTABLE})),
            arena_bytes=int(report["arena_bytes"]),
            flash_bytes=int(report["flash_bytes"]),
            said={"arena-bytes": arena[1] if arena else "0", **_said(folder)},
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{folder.path / 'report.json'} is damaged: {error!r}", hint=_AGAIN
        ) from error


def _said(folder: ProjectFolder) -> dict[str, str]:
    """What the generated source of the application holds; nothing where it was changed."""
    source = _text(folder.path / "src" / f"{folder.model}_app.c")
    body = re.search(rf"{folder.model}_app = \{{(.*?)\n\}};", source, re.DOTALL)
    texts = re.findall(r'^    "(.*)",$', body[1], re.MULTILINE) if body else []
    keys = ("model", "board", "kernels", "memory")
    return dict(zip(keys, texts, strict=True)) if len(texts) == len(keys) else {}


def host_copy(project: MeasuredProject) -> HostModel:
    """The project's own C of the model, built on this machine; stand-ins for vendors' kernels.

    Raises:
        UsageError: a file is missing.
    """
    library = build_library(model_files(project), [project.prefix], libraries=project.libraries)
    return HostModel(library, project.prefix)


def model_files(project: MeasuredProject) -> dict[str, str]:
    """File name -> text: the model's C, and the headers that all models share."""
    lib = project.folder.path / "lib"
    folders = (
        lib / project.prefix / "src",
        lib / project.prefix / "include",
        lib / "mcugen_rt" / "include",
    )
    return {p.name: _text(p) for folder in folders for p in sorted(folder.glob("*.[ch]"))}


def application_files(project: MeasuredProject) -> dict[str, str]:
    """File name -> text: all C of the project but its `main` and what belongs to its board."""
    root = project.folder.path
    own = [root / "src" / f"{project.prefix}_{n}.{k}" for n in ("app", "selftest") for k in "ch"]
    runtime = sorted((root / "lib" / "mcugen_rt" / "src").glob("*.c"))
    return {**model_files(project), **{p.name: _text(p) for p in (*own, *runtime)}}


def standins(project: MeasuredProject) -> Mapping[str, str]:
    """File name -> text of what stands in for the vendors' kernels."""
    return {n: t for library in project.libraries for n, t in standin_files(library).items()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"{path} cannot be read: {why}", hint=_AGAIN) from error
