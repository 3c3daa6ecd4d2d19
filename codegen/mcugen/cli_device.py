"""The command line's part that deals with boards and what was measured on them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mcugen.cli_options import JsonOpt, console, write_json
from mcugen.errors import UsageError
from mcugen.report.document_text import print_document
from mcugen.report.report_command import FORMATS, make_report


def register(app: typer.Typer) -> None:
    """Adds these commands to the application's."""
    app.command()(report)


def report(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders or files that `mcugen measure` wrote, or JSON of `mcugen bench`.",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Write a folder.")
    ] = None,
    form: Annotated[
        list[str],
        typer.Option(
            "--format",
            metavar="md|html|json",
            help="With -o: what to write, all by default. Without: print this, not the tables.",
        ),
    ] = [],  # noqa: B006 - typer copies it
    json_file: JsonOpt = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier report.")] = False,
) -> None:
    """Show what a run gave; of several, compare each with the first."""
    if output is None and len(form) > 1:
        raise UsageError("--format: one can be printed, several are written with -o DIR")
    made = make_report(files)
    if output is not None:
        written = made.write(output, form or list(FORMATS), force=force)
        console().print(f"written: {written}", markup=False, highlight=False)
    elif form:
        sys.stdout.write(made.text(form[0]))
    else:
        print_document(made.document, console())
    write_json(json_file, made.json)
