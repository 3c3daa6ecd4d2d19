"""The command line's `measure`: options, progress and exit code; no logic of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mcugen.cli_options import JsonOpt, console, write_json
from mcugen.device.measure import Measured, MeasureOptions, measure
from mcugen.device.run import RunOptions
from mcugen.errors import UsageError
from mcugen.report.document_text import print_document
from mcugen.report.measurement_report import document_of

_PATIENCE_S = 600.0
"""For a person to export a logger's recording, on a terminal; elsewhere nobody is asked."""


def measure_command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="An exported project, flashed onto the board.")
    ],
    port: Annotated[
        str | None,
        typer.Option(
            "--port",
            metavar="PORT",
            help="Serial port, by default the one that fits; or simulated, rp2040py.",
        ),
    ] = None,
    meter: Annotated[
        str,
        typer.Option(
            "--meter",
            metavar="NAME[:ARG]",
            help="none, ina219, ina226 (on the board's bus, or :usb, :/dev/i2c-N), ppk2, "
            "ppk2:source, joulescope, otii, csv:FILE or simulated.",
        ),
    ] = "none",
    windows: Annotated[int, typer.Option("--windows", min=1, help="Timed windows.")] = 5,
    window_s: Annotated[
        float, typer.Option("--window-s", min=0.01, help="Least seconds of one.")
    ] = 10.0,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Single inferences timed.")] = 100,
    warmup: Annotated[int, typer.Option("--warmup", min=0, help="Before each window.")] = 10,
    dataset: Annotated[
        Path | None,
        typer.Option(
            "--dataset", metavar="FILE.npz", help="Samples for the board, `labels` for accuracy."
        ),
    ] = None,
    core: Annotated[
        int | None, typer.Option("--core", min=0, help="Core that runs the inferences.")
    ] = None,
    supply_v: Annotated[
        float, typer.Option("--supply-v", help="For meters that do not measure it, or supply it.")
    ] = 3.3,
    shunt_ohm: Annotated[float, typer.Option("--shunt-ohm", help="Of an INA219 or INA226.")] = 0.1,
    title: Annotated[str, typer.Option("--title", help="Name of this variant in reports.")] = "",
    condition: Annotated[
        list[str],
        typer.Option("--condition", metavar="NAME=VALUE", help="A fact for the report: radio=off."),
    ] = [],  # noqa: B006 - typer copies it
    json_file: JsonOpt = None,
) -> None:
    """Measure latency, energy and accuracy on the board; keep the run in DIR/measurements."""
    options = MeasureOptions(
        port=port,
        meter=meter,
        run=RunOptions(windows, window_s, runs, warmup, dataset, core),
        supply_v=supply_v,
        shunt_ohm=shunt_ohm,
        title=title,
        conditions=_conditions(condition),
        patience_s=_PATIENCE_S if sys.stdin.isatty() else 0.0,
    )
    show_measured(measure(folder, options, progress, ask), json_file)


def progress(text: str) -> None:
    """Shows what is being done, on a terminal only."""
    if sys.stderr.isatty():
        ask(text)


def ask(text: str) -> None:
    """Shows a line beside the result, which may go into a pipe."""
    Console(stderr=True, soft_wrap=True).print(text, markup=False, highlight=False)


def show_measured(done: Measured, json_file: Path | None) -> None:
    """Prints a run.

    Raises:
        McugenError: what ended it early, after it was printed.
        typer.Exit: the board computed other results.
    """
    print_document(document_of(done.folder / "measurement.json"), console())
    word = "kept, partial: " if done.error is not None else "written: "
    console().print(f"\n{word}{done.folder}", markup=False, highlight=False)
    write_json(json_file, done.measurement.to_json())
    if done.error is not None:
        raise done.error
    for fault in done.faults:
        print(f"error: {fault}", file=sys.stderr)
    if done.faults:
        raise typer.Exit(1)


def _conditions(items: list[str]) -> dict[str, str]:
    found = {}
    for item in items:
        name, sep, value = item.partition("=")
        if not sep or not name:
            raise UsageError(f"--condition takes NAME=VALUE, got '{item}'")
        found[name] = value
    return found
