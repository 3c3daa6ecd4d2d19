"""What `mcugen report` does: one run's page, or several compared, as text or as a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcugen.device.measurement import KIND
from mcugen.errors import UsageError
from mcugen.report.comparison import comparison_document, comparison_json
from mcugen.report.document import Document
from mcugen.report.document_text import document_markdown
from mcugen.report.html_page import html_page
from mcugen.report.json_text import json_text
from mcugen.report.measurement_json import read_json
from mcugen.report.measurement_report import document_of
from mcugen.report.run import measurement_file, read_runs
from mcugen.tree import write_tree

MARK = ".mcugen_report.json"
"""What says that a folder holds a report of `mcugen report -o`, and may be replaced."""

FORMATS = {"md": "REPORT.md", "html": "report.html", "json": "report.json"}
"""Format -> the file that has it."""


@dataclass(frozen=True)
class Report:
    """A report in all its forms.

    Attributes:
        document: what it says.
        json: its figures.
    """

    document: Document
    json: dict[str, Any]

    def text(self, form: str) -> str:
        """The report as one of FORMATS.

        Raises:
            UsageError: there is no such format.
        """
        if form not in FORMATS:
            raise UsageError(f"--format must be one of {', '.join(FORMATS)}, got '{form}'")
        if form == "json":
            return json_text(self.json)
        return document_markdown(self.document) if form == "md" else html_page(self.document)

    def write(self, directory: Path, forms: Sequence[str], *, force: bool) -> Path:
        """Writes a folder with the formats, whole or not at all; returns it, absolute.

        Raises:
            UsageError: the folder exists, is no report's or cannot be written.
        """
        files = {FORMATS.get(form, form): self.text(form) for form in forms}
        files[MARK] = json_text({"schema": 1, "kind": "report"})
        return write_tree(files, directory, mark=MARK, force=force)


def make_report(paths: Sequence[Path]) -> Report:
    """The report of runs: measurement.json files, folders that hold one, JSON of `mcugen bench`.

    Raises:
        ModelError: a file cannot be read or is damaged.
    """
    files = [measurement_file(path) for path in paths]
    runs = [run for file in files for run in read_runs(file)]
    is_measurement = len(files) == 1 and read_json(files[0]).get("kind") == KIND
    document = document_of(files[0]) if is_measurement else comparison_document(runs)
    return Report(document, comparison_json(runs))
