"""Exports a compiled model: the firmware project, or the C library alone, onto the disk."""

from __future__ import annotations

import dataclasses
import shlex
from dataclasses import dataclass
from pathlib import Path

from mcugen.compiler import Compiled
from mcugen.project import MARK, MEASUREMENTS, library_files, project_files
from mcugen.report.html_page import html_page
from mcugen.report.json_text import json_text
from mcugen.report.model_document import model_document
from mcugen.report.model_report import ModelReport
from mcugen.report.text import markdown
from mcugen.selftest import Selftest
from mcugen.targets import Target
from mcugen.toolchain import ForeignSources
from mcugen.tree import write_tree


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        directory: the folder, absolute.
        report: the report that lies in it.
        next_command: what to do with it next.
    """

    directory: Path
    report: ModelReport
    next_command: str


def write_project(
    compiled: Compiled,
    target: Target,
    report: ModelReport,
    test: Selftest | None,
    directory: Path,
    *,
    vendor: ForeignSources | None = None,
    force: bool = False,
) -> Exported:
    """Write the firmware project, with the files of a vendor's kernel library where given.

    Raises:
        UsageError: the directory exists or cannot be written.
    """
    stack = report.footprint.stack_bytes
    reports = _reports(report, compiled, target)
    files = project_files(compiled, target, test, reports, stack, vendor)
    written = write_tree(files, directory, mark=MARK, force=force, keep=MEASUREMENTS)
    return Exported(written, report, f"mcugen build {shlex.quote(str(directory))}")


def write_library(
    compiled: Compiled,
    target: Target,
    report: ModelReport,
    test: Selftest | None,
    directory: Path,
    *,
    vendor: ForeignSources | None = None,
    force: bool = False,
) -> Exported:
    """Write the C library alone; it is the same for every board and holds no self-test.

    Raises:
        UsageError: the directory exists or cannot be written.
    """
    del test
    files = library_files(compiled, _reports(report, compiled, target), vendor)
    written = write_tree(files, directory, mark=MARK, force=force, keep=MEASUREMENTS)
    hint = f"put {shlex.quote(str(directory))} beside your project's other libraries"
    return Exported(written, report, hint)


def _reports(report: ModelReport, compiled: Compiled, target: Target) -> dict[str, str]:
    """The report's files; the model is named without its folder, which is this machine's."""
    report = dataclasses.replace(report, model=Path(report.model).name)
    return {
        "REPORT.md": markdown(report),
        "report.html": html_page(model_document(report, compiled, target)),
        "report.json": json_text(report.to_json()),
    }
