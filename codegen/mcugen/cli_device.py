"""The command line's part that deals with boards and what was measured on them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mcugen.cli_measure import measure_command
from mcugen.cli_options import JsonOpt, console, write_json
from mcugen.device.build import build_project, flash_project
from mcugen.device.monitor import DEFAULT_SECONDS, stream_lines, watch_on_terminal
from mcugen.device.project_folder import open_project
from mcugen.device.run_tool import Limits
from mcugen.errors import UsageError
from mcugen.report.build_text import BuildView, build_json, print_built
from mcugen.report.document_text import print_document
from mcugen.report.report_command import FORMATS, make_report


def register(app: typer.Typer) -> None:
    """Adds these commands to the application's."""
    app.command()(build)
    app.command()(flash)
    app.command()(monitor)
    app.command("measure")(measure_command)
    app.command()(report)


ProjectArg = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder that `mcugen export` wrote.")
]
PortOpt = Annotated[
    str | None,
    typer.Option("--port", metavar="PORT", help="The board's port; by default the one that fits."),
]
EnvOpt = Annotated[
    str | None, typer.Option("--env", metavar="NAME", help="Environment of platformio.ini.")
]
VerboseOpt = Annotated[bool, typer.Option("--verbose", "-v", help="Show all that the tools say.")]
TimeLimitOpt = Annotated[
    float, typer.Option("--time-limit", metavar="SECONDS", min=1, help="Of the whole run.")
]
_LIMIT_S = Limits().total_s


def build(
    folder: ProjectArg,
    env: EnvOpt = None,
    verbose: VerboseOpt = False,
    time_limit: TimeLimitOpt = _LIMIT_S,
    json_file: JsonOpt = None,
) -> None:
    """Build an exported project; show its sizes against the plan."""
    project = open_project(folder)
    with BuildView(console(), f"building for {project.title}", verbose=verbose) as view:
        built = build_project(project, view, env=env, limits=_limits(time_limit))
    print_built(built, console())
    write_json(json_file, build_json(built))


def flash(
    folder: ProjectArg,
    port: PortOpt = None,
    env: EnvOpt = None,
    verbose: VerboseOpt = False,
    time_limit: TimeLimitOpt = _LIMIT_S,
    json_file: JsonOpt = None,
) -> None:
    """Build an exported project and write it onto the board."""
    project = open_project(folder)
    with BuildView(console(), f"flashing {project.title}", verbose=verbose) as view:
        built = flash_project(project, view, port=port, env=env, limits=_limits(time_limit))
    print_built(built, console())
    place = f", {built.place}" if built.place else ""
    console().print(f"written to {project.title}{place}", markup=False, highlight=False)
    console().print(f"next: mcugen monitor {folder}", markup=False, highlight=False)
    write_json(json_file, build_json(built))


def monitor(
    folder: ProjectArg,
    port: PortOpt = None,
    env: EnvOpt = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TEXT", help="Stop at a line with this text, else fail."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.1,
            help=f"Stop after them; by default {DEFAULT_SECONDS:g} where there is no terminal.",
        ),
    ] = None,
) -> None:
    """Show what the board prints: until Ctrl-C on a terminal, else line by line for a time."""
    project = open_project(folder)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if on_terminal and until is None and seconds is None:
        watch_on_terminal(project, port=port, env=env)
        return
    limit = DEFAULT_SECONDS if seconds is None else seconds
    stream_lines(project, _print_line, port=port, env=env, seconds=limit, until=until)


def _limits(total_s: float) -> Limits:
    usual = Limits()
    return Limits(silent_s=min(usual.silent_s, total_s), total_s=total_s)


def _print_line(line: str) -> None:
    print(line, flush=True)


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
