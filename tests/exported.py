"""The example models, compiled once, and projects of them built on this machine."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from mcugen import api, resources
from mcugen.project import MARK, project_files
from mcugen.targets import load_target
from mcugen.toolchain import ForeignSources
from mcugen.tree import write_tree


@cache
def example(
    name: str = "digits_int8",
    *,
    prefix: str | None = None,
    io_buffers: str = "arena",
    arena: str = "static",
    board: str = "host",
    kernels: str = "auto",
) -> api.Model:
    """A compiled example of examples/digits."""
    path = resources.examples() / "digits" / f"{name}.onnx"
    return api.compile(
        path, board=board, kernels=kernels, name=prefix, io_buffers=io_buffers, arena=arena
    )


def write_project(
    model: api.Model,
    folder: Path,
    level: str = "crc",
    vendor: ForeignSources | None = None,
) -> Path:
    """Write the model's project without a report: that one is tested apart."""
    reports = {"REPORT.md": "report\n"}
    files = project_files(
        model.compiled, model.target, model.selftest(level), reports, vendor=vendor
    )
    return write_tree(files, folder, mark=MARK, force=False)


def write_for(board: str, folder: Path, name: str = "digits_int8", level: str = "crc") -> Path:
    """Write an example's project for a board."""
    model = example(name)
    return write_project(api.Model(model.compiled, load_target(board)), folder, level)


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in a host project."""
    return subprocess.run(
        ["make", "-j2", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
