"""What the generated C costs on the boards' processors, emulated: part of `make bench`.

The models of MLPerf Tiny in float32 and int8 from MCUGEN_MODELS, or the embedded examples without.
Compiled by arm-none-eabi-gcc, as the firmware is, where it is installed, else by zig. Writes
build/bench/cores.json, prints a table, draws a plot, and compares with the stored result
(benchmarks/cores.json): a figure of the same compiler that has grown is named, and the exit code
is 1. `--store` makes this result the stored one.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcugen import __version__, api, resources
from mcugen.emulate.bench import bench
from mcugen.emulate.result import BenchResult

BOARDS = ("pico_w", "nucleo_f446", "nucleo_h743", "pico2_w")
MODELS = ("vww_mobilenetv1", "kws_dscnn", "ic_resnet8", "ad_autoencoder")
GCC = "arm-none-eabi-gcc"
STORED = Path(__file__).with_name("cores.json")
TOLERANCE = 1.001
"""How much a figure may grow before it counts as a regression: layout of the code moves loops."""

ROOM = {"flash_bytes": 16 << 20, "ram_bytes": 4 << 20}
"""Memories in place of the boards': the cores are compared, whatever fits."""

CMSIS_NN = {
    ("vww_mobilenetv1_qdq", "pico_w"): 116.96e6,
    ("kws_dscnn_qdq", "pico_w"): 38.97e6,
    ("ic_resnet8_qdq", "pico_w"): 139.99e6,
    ("ad_autoencoder_qdq", "pico_w"): 2.356e6,
    ("vww_mobilenetv1_qdq", "nucleo_f446"): 24.07e6,
    ("kws_dscnn_qdq", "nucleo_f446"): 7.66e6,
    ("ic_resnet8_qdq", "nucleo_f446"): 31.20e6,
    ("ad_autoencoder_qdq", "nucleo_f446"): 0.580e6,
    ("vww_mobilenetv1_qdq", "nucleo_h743"): 23.99e6,
    ("kws_dscnn_qdq", "nucleo_h743"): 7.61e6,
    ("ic_resnet8_qdq", "nucleo_h743"): 31.36e6,
    ("ad_autoencoder_qdq", "nucleo_h743"): 0.580e6,
    ("vww_mobilenetv1_qdq", "pico2_w"): 24.01e6,
    ("kws_dscnn_qdq", "pico2_w"): 7.64e6,
    ("ic_resnet8_qdq", "pico2_w"): 31.24e6,
    ("ad_autoencoder_qdq", "pico2_w"): 0.581e6,
}
"""CMSIS-NN v7.0.0+43 called directly on every layer of the model, arm-none-eabi-gcc 12.2 -O2:
cycles on the Cortex-M0+, instructions on the others."""


def model_files() -> list[Path]:
    """The models to measure."""
    folder = os.environ.get("MCUGEN_MODELS")
    if not folder:
        return [resources.examples() / "digits" / f"{n}.onnx" for n in ("digits", "digits_int8")]
    return [Path(folder) / f"{name}_{kind}.onnx" for kind in ("qdq", "f32") for name in MODELS]


def measure(path: Path, board: str, cc: str | None) -> BenchResult:
    """One model on one board's core.

    Raises:
        SystemExit: the emulated code does not compute what the reference computes.
    """
    model = api.compile(path, board=board, kernels="portable")
    memory = dataclasses.replace(model.target.emulator.memory, **ROOM)
    sample = model.samples(path.with_suffix(".npz"))[0]
    result = bench(model.compiled, model.target, sample, cc=cc, memory=memory)
    if not result.outputs_equal:
        sys.exit(f"{path.stem} on {result.cpu}: {result.first_mismatch}")
    return result


def row_of(path: Path, result: BenchResult) -> dict[str, Any]:
    """What is stored of a result."""
    keys = (
        "cpu", "compiler", "macs", "cycles", "instructions", "seconds", "stack_bytes",
        "text_bytes", "rodata_bytes", "ram_bytes",
    )  # fmt: skip
    return {
        "model": path.stem,
        "board": result.board,
        **{key: getattr(result, key) for key in keys},
        "layers": [
            {"op": layer.op, "macs": layer.macs, "cost": layer.cycles or layer.instructions}
            for layer in result.layers
        ],
    }


def cost(row: dict[str, Any]) -> int:
    """Cycles where they are modelled, else instructions."""
    return int(row["cycles"] or row["instructions"])


def regressions(rows: Sequence[dict[str, Any]], stored: Sequence[dict[str, Any]]) -> list[str]:
    """Figures of a stored result that have grown, one line each; other compilers do not count."""
    before = {(r["model"], r["board"], r["compiler"]): r for r in stored}
    found = []
    for row in rows:
        old = before.get((row["model"], row["board"], row["compiler"]))
        if old is None:
            continue
        for name, now, then in (
            ("cycles" if row["cycles"] else "instructions", cost(row), cost(old)),
            ("code bytes", row["text_bytes"], old["text_bytes"]),
            ("constant bytes", row["rodata_bytes"], old["rodata_bytes"]),
            ("RAM bytes", row["ram_bytes"], old["ram_bytes"]),
            ("stack bytes", row["stack_bytes"], old["stack_bytes"]),
        ):
            if now > TOLERANCE * then:
                found.append(
                    f"{row['model']} on {row['cpu']}: {now:,} {name}, {then:,} before "
                    f"({now / then:.3f} times)"
                )
    return found


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """The result for a person."""
    print(
        f"{'model':<22}{'core':<12}{'cost':>15}  {'unit':<13}{'per MAC':>8}{'ms':>10}"
        f"{'CMSIS-NN':>13}{'ratio':>7}{'code':>8}{'stack':>7}"
    )
    for row in rows:
        unit = "cycles" if row["cycles"] else "instructions"
        milliseconds = f"{1e3 * row['seconds']:.1f}" if row["seconds"] else "-"
        peer = CMSIS_NN.get((row["model"], row["board"]))
        against = f"{peer:>13,.0f}{cost(row) / peer:>7.2f}" if peer else f"{'-':>13}{'-':>7}"
        print(
            f"{row['model']:<22}{row['cpu']:<12}{cost(row):>15,}  {unit:<13}"
            f"{cost(row) / row['macs']:>8.2f}{milliseconds:>10}{against}"
            f"{row['text_bytes']:>8,}{row['stack_bytes']:>7,}"
        )
    for compiler in sorted({row["compiler"] for row in rows}):
        print(f"compiler: {compiler}")
    print("ms: emulated, flash wait states and cache not modelled")


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Bars of cost per MAC by model and core, logarithmic; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    models = list(dict.fromkeys(row["model"] for row in rows))
    cores = list(dict.fromkeys(row["cpu"] for row in rows))
    figure, axes = pyplot.subplots(figsize=(11, 4))
    width = 0.8 / len(cores)
    for index, core in enumerate(cores):
        found = {r["model"]: cost(r) / r["macs"] for r in rows if r["cpu"] == core}
        modelled = any(r["cycles"] for r in rows if r["cpu"] == core)
        label = f"{core}, {'cycles' if modelled else 'instructions'}"
        places = [models.index(m) + (index - (len(cores) - 1) / 2) * width for m in found]
        bars = axes.bar(places, list(found.values()), 0.9 * width, label=label)
        axes.bar_label(bars, fmt="%.1f", fontsize=6, padding=1)
    axes.set_yscale("log")
    axes.set_ylabel("per multiply-accumulate")
    labels = [name.replace("_", "\n", 1).replace("_", " ") for name in models]
    axes.set_xticks(range(len(models)), labels, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; exit 1 when a figure has grown since the stored result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", nargs="+", default=BOARDS)
    parser.add_argument("--cc", default=GCC if shutil.which(GCC) else None)
    parser.add_argument("--zig", action="store_true", help="compile by zig all the same")
    parser.add_argument("--output", type=Path, default=Path("build/bench"))
    parser.add_argument("--plot", type=Path, help="write a bar chart (PNG)")
    parser.add_argument("--stored", type=Path, default=STORED, help="what to compare with")
    parser.add_argument("--store", action="store_true", help="keep this result for later runs")
    args = parser.parse_args(arguments)
    rows = []
    for path in model_files():
        for board in args.boards:
            result = measure(path, board, None if args.zig else args.cc)
            rows.append(row_of(path, result))
            print(f"{path.stem} on {result.cpu}: done", file=sys.stderr)
    print_table(rows)
    stored = json.loads(args.stored.read_text())["rows"] if args.stored.is_file() else []
    worse = regressions(rows, stored)
    for line in worse:
        print(f"regression: {line}")
    text = json.dumps({"schema": 1, "mcugen": __version__, "rows": rows}, indent=1) + "\n"
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "cores.json").write_text(text)
    if args.plot is not None:
        plot(rows, args.plot)
    if args.store:
        kept = [r for r in stored if not any(same_case(r, row) for row in rows)]
        brief = [{k: v for k, v in row.items() if k != "layers"} for row in rows]
        merged = {"schema": 1, "mcugen": __version__, "rows": [*kept, *brief]}
        args.stored.write_text(json.dumps(merged, indent=1) + "\n")
        return 0
    return 1 if worse else 0


def same_case(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two rows are of the same model, board and compiler."""
    return all(a[key] == b[key] for key in ("model", "board", "compiler"))


if __name__ == "__main__":
    sys.exit(main())
