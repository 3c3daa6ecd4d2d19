"""Recipes: experiments with several variants as data, exported, flashed and measured in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mcugen import api
from mcugen.board_file import Table, read_toml
from mcugen.device.measure import Measured, MeasureOptions
from mcugen.device.run import RunOptions
from mcugen.errors import UsageError

_FOLDER = Path(__file__).resolve().parent / "recipes"


@dataclass(frozen=True)
class Variant:
    """One of the things that are compared.

    Attributes:
        folder: of its project.
        title: what a reader calls it.
        model: name of the ONNX file; an npz file of the same name has its samples.
        arena_memory: as in `mcugen export`.
        kernels: as in `mcugen export`.
    """

    folder: str
    title: str
    model: str
    arena_memory: str
    kernels: str


@dataclass(frozen=True)
class Recipe:
    """An experiment.

    Attributes:
        name: of its file.
        title: what a person calls it.
        board: of `mcugen boards`.
        meter: of `mcugen measure`.
        run: what is run.
        conditions: for the reports.
        variants: in the order in which they are measured; the first is what others are compared
            with.
    """

    name: str
    title: str
    board: str
    meter: str
    run: RunOptions
    conditions: Mapping[str, str]
    variants: tuple[Variant, ...]


def recipe_names() -> tuple[str, ...]:
    """Names of the recipes that come with mcugen."""
    return tuple(sorted(p.stem for p in _FOLDER.glob("*.toml")))


def load_recipe(name: str) -> Recipe:
    """The recipe of a name, or of the path of a TOML file.

    Raises:
        UsageError: there is none (all are listed), or its file is wrong.
    """
    path = Path(name) if name.endswith(".toml") else _FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(recipe_names())
        raise UsageError(f"there is no recipe '{name}'; recipes are {known}, or a .toml file")
    top = Table(path, "the file", read_toml(path, "recipe"))
    usual = RunOptions()
    recipe = Recipe(
        name=path.stem,
        title=top.text("title"),
        board=top.text("board"),
        meter=top.text("meter"),
        run=RunOptions(
            windows=top.count("windows", usual.windows),
            window_s=top.number("window_s", usual.window_s),
            runs=top.count("runs", usual.runs),
            warmup=top.count("warmup", usual.warmup),
        ),
        conditions={k: str(v) for k, v in top.table("conditions", {}).scalars().items()},
        variants=tuple(_variant(item) for item in top.tables("variant")),
    )
    top.finish()
    return recipe


def _variant(table: Table) -> Variant:
    found = Variant(
        folder=table.text("folder"),
        title=table.text("title"),
        model=table.text("model"),
        arena_memory=table.text("arena_memory", "auto"),
        kernels=table.text("kernels", "auto"),
    )
    table.finish()
    return found


def find_models(recipe: Recipe, models: Path) -> dict[str, Path]:
    """Name -> path of the recipe's ONNX files; all that are missing are named at once.

    Raises:
        UsageError: one is missing.
    """
    found = {v.model: models / v.model for v in recipe.variants}
    if missing := sorted(name for name, path in found.items() if not path.is_file()):
        raise UsageError(
            f"the recipe {recipe.name} needs {', '.join(missing)}, not in {models}",
            hint="models are no part of mcugen: put your own there, under these names",
        )
    return found


def export_variant(recipe: Recipe, variant: Variant, model: Path, output: Path) -> Path:
    """The variant's project, exported anew; runs of earlier times stay in it."""
    samples = model.with_suffix(".npz")
    compiled = api.compile(
        model, board=recipe.board, kernels=variant.kernels, arena_memory=variant.arena_memory
    )
    folder = output / variant.folder
    inputs = samples if samples.is_file() else None
    return compiled.export(folder, inputs=inputs, force=True).directory


def run_recipe(
    recipe: Recipe,
    models: Path,
    output: Path,
    options: MeasureOptions,
    flash: Callable[[Path], None],
    measure: Callable[[Path, MeasureOptions], Measured],
) -> tuple[Measured, ...]:
    """The runs of all variants, in order; ends with the first that fails.

    Args:
        recipe: the experiment.
        models: folder with its ONNX files.
        output: folder for a project per variant.
        options: port, meter and what is run; titles are the variants'.
        flash: brings a project onto the board.
        measure: measures it.
    """
    paths = find_models(recipe, models)
    done: list[Measured] = []
    for variant in recipe.variants:
        folder = export_variant(recipe, variant, paths[variant.model], output)
        flash(folder)
        done.append(measure(folder, _titled(options, variant.title, recipe.conditions)))
        if done[-1].error is not None:
            break
    return tuple(done)


def _titled(options: MeasureOptions, title: str, conditions: Mapping[str, str]) -> MeasureOptions:
    return replace(options, title=title, conditions={**conditions, **options.conditions})
