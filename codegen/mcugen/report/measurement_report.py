"""The report of one run: REPORT.md and report.html beside its measurement.json."""

from __future__ import annotations

import os
from pathlib import Path

from mcugen.device.measurement import Measurement
from mcugen.errors import UsageError
from mcugen.report.document import Document
from mcugen.report.document_text import document_markdown
from mcugen.report.html_page import html_page
from mcugen.report.measurement_document import measurement_document
from mcugen.report.measurement_json import FILE, read_measurement
from mcugen.report.raw_data import read_raw


def write_reports(folder: Path) -> Document:
    """Writes REPORT.md and report.html into a run's folder, from what lies in it.

    Args:
        folder: with measurement.json and the raw data that it names.

    Returns:
        What both say, for `document_text.print_document`.

    Raises:
        ModelError: a file is missing or damaged.
        UsageError: the folder cannot be written.
    """
    document = document_of(folder / FILE)
    for name, text in report_files(document).items():
        _write_whole(folder / name, text)
    return document


def document_of(path: Path) -> Document:
    """The report of the measurement in a file, with the raw data beside it.

    Raises:
        ModelError: a file is missing or damaged.
    """
    measurement: Measurement = read_measurement(path)
    return measurement_document(measurement, read_raw(path.parent, measurement))


def report_files(document: Document) -> dict[str, str]:
    """File name -> text of a report."""
    return {"REPORT.md": document_markdown(document), "report.html": html_page(document)}


def _write_whole(path: Path, text: str) -> None:
    """Replaces a file at once: whoever looks finds the old one or the new one."""
    staging = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staging.write_text(text, encoding="utf-8", newline="\n")
        staging.replace(path)
    except OSError as error:
        staging.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
