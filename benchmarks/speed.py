"""Host speed of the generated C against emx-onnx-cgen and ONNX Runtime: `make bench`.

The models of MLPerf Tiny from MCUGEN_MODELS, or the embedded examples without. Every model is
pinned to batch 1 and given to all three. Both generators' C is compiled by the same gcc -O2 (CC for
another); runs are interleaved, and the minimum over all rounds counts. Writes a table and
build/bench/speed.json. The peer is installed from PyPI into a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from mcugen import __version__, api, resources
from mcugen.host import runtime_headers
from mcugen.samples import load_samples

PEER = "emx-onnx-cgen==1.4.0"
MODELS = (
    "vww_mobilenetv1_f32",
    "vww_mobilenetv1_qdq",
    "kws_dscnn_f32",
    "kws_dscnn_qdq",
    "ic_resnet8_f32",
    "ic_resnet8_qdq",
    "ad_autoencoder_f32",
    "ad_autoencoder_qdq",
)
EXAMPLES = ("digits", "digits_int8")
FLAGS = ("-O2", "-std=c11")

MAIN = """#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
%(declaration)s
static %(in_type)s input[%(in_elems)d];
static %(out_type)s output[%(out_elems)d];
static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
int main(int argc, char **argv) {
    double budget = 1e6 * atof(argv[2]), best = 1e18, start = now_ns();
    FILE *f = fopen(argv[1], "rb");
    if (argc != 3 || f == NULL || fread(input, sizeof input, 1, f) != 1) { return 1; }
    fclose(f);
    do {
        double begin = now_ns(), took;
        %(call)s;
        took = now_ns() - begin;
        if (took < best) { best = took; }
    } while (now_ns() - start < budget);
    printf("%%.0f\\n", best);
    return 0;
}
"""


@dataclass
class Row:
    """One model's times in microseconds, and the ratios that matter."""

    model: str
    mcugen_us: float
    peer_us: float
    ort_us: float | None
    peer_over_mcugen: float
    mcugen_over_ort: float | None


def models_to_run(wanted: Sequence[str]) -> tuple[Path, Sequence[str]]:
    """Where the models are, and their names: all, unless some are wanted."""
    folder = os.environ.get("MCUGEN_MODELS")
    if folder:
        return Path(folder), wanted or MODELS
    return resources.examples() / "digits", wanted or EXAMPLES


def pin_batch(source: Path, target: Path) -> onnx.ModelProto:
    """Write the model with every symbolic leading dimension set to 1."""
    model = onnx.load(str(source))
    for value in (*model.graph.input, *model.graph.output):
        dims = value.type.tensor_type.shape.dim
        if dims and not dims[0].HasField("dim_value"):
            dims[0].dim_value = 1
    del model.graph.value_info[:]
    onnx.save(model, str(target))
    return model


def peer_command(folder: Path) -> str:
    """The peer's command, installed on first use."""
    home = folder / "peer"
    command = home / "bin" / "emx-onnx-cgen"
    if not command.exists():
        venv.create(home, with_pip=True)
        subprocess.run([str(home / "bin" / "pip"), "install", "-q", PEER], check=True)
    return str(command)


def compile_c(sources: list[str], include: Path, output: Path, extra: tuple[str, ...]) -> None:
    """Build an executable with the compiler that both generators get."""
    compiler = os.environ.get("CC", "gcc")
    command = [compiler, *FLAGS, *extra, "-w", "-I", str(include), *sources, "-o", str(output)]
    subprocess.run([*command, "-lm"], check=True)


def build_ours(model: Path, work: Path, shapes: dict[str, Any]) -> Path:
    """Our C with a timing main."""
    compiled = api.compile(model, name="bench").compiled
    for name, text in {**runtime_headers(), **compiled.files}.items():
        (work / name).write_text(text)
    main = MAIN % {
        **shapes,
        "declaration": '#include "bench.h"',
        "call": "bench_run(input, output)",
    }
    (work / "main.c").write_text(main)
    sources = [str(work / n) for n in ("main.c", "bench.c", "bench_weights.c")]
    compile_c(sources, work, work / "ours", ("-ffp-contract=off",))
    return work / "ours"


def build_peer(command: str, model: Path, work: Path, shapes: dict[str, Any]) -> Path:
    """The peer's C with the same main."""
    arguments = ["--large-weight-threshold", "0", "--model-name", "entry"]
    subprocess.run(
        [command, "compile", str(model), str(work / "peer.c"), *arguments],
        check=True,
        capture_output=True,
    )
    main = MAIN % {**shapes, "declaration": "void entry();", "call": "entry(input, output)"}
    (work / "peer_main.c").write_text(main)
    compile_c([str(work / "peer_main.c"), str(work / "peer.c")], work, work / "peer", ())
    return work / "peer"


def run_c(program: Path, data: Path, budget_ms: float) -> float:
    """Smallest time of one inference in ns within the budget."""
    done = subprocess.run(
        [str(program), str(data), str(budget_ms)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def ort_session(model: Path) -> Any:
    """A one-thread ONNX Runtime session, None when it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def run_ort(session: Any, feeds: dict[str, Any], budget_ms: float) -> float:
    """Smallest time of one session.run in ns within the budget."""
    best, end = float("inf"), time.perf_counter_ns() + budget_ms * 1e6
    while time.perf_counter_ns() < end:
        begin = time.perf_counter_ns()
        session.run(None, feeds)
        best = min(best, time.perf_counter_ns() - begin)
    return best


def bench_model(models: Path, name: str, folder: Path, peer: str, args: argparse.Namespace) -> Row:
    """Build all contestants of one model and time them in turns."""
    work = folder / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pinned = work / f"{name}.onnx"
    pin_batch(models / f"{name}.onnx", pinned)
    graph = api.load(pinned).graph
    sample = load_samples(models / f"{name}.npz", graph)[0]
    array = np.ascontiguousarray(sample.inputs[graph.inputs[0]])
    (work / "input.bin").write_bytes(array.tobytes())
    shapes = {
        "in_type": {"float32": "float", "int8": "int8_t"}[array.dtype.name],
        "out_type": {"float32": "float", "int8": "int8_t"}[graph[graph.outputs[0]].dtype.value],
        "in_elems": array.size,
        "out_elems": graph[graph.outputs[0]].size,
    }
    ours, theirs = build_ours(pinned, work, shapes), build_peer(peer, pinned, work, shapes)
    session = ort_session(pinned)
    best = {"ours": float("inf"), "peer": float("inf"), "ort": float("inf")}
    for _ in range(args.rounds):
        best["ours"] = min(best["ours"], run_c(ours, work / "input.bin", args.budget_ms))
        best["peer"] = min(best["peer"], run_c(theirs, work / "input.bin", args.budget_ms))
        if session is not None:
            best["ort"] = min(best["ort"], run_ort(session, dict(sample.inputs), args.budget_ms))
    ort = best["ort"] / 1e3 if session is not None else None
    ours_us, peer_us = best["ours"] / 1e3, best["peer"] / 1e3
    return Row(name, ours_us, peer_us, ort, peer_us / ours_us, ours_us / ort if ort else None)


def print_table(rows: list[Row]) -> None:
    """The result for a person."""
    print(f"{'model':<24}{'mcugen us':>12}{'emx us':>12}{'ORT us':>12}{'emx/mcugen':>12}")
    for r in rows:
        ort = "-" if r.ort_us is None else f"{r.ort_us:.1f}"
        print(
            f"{r.model:<24}{r.mcugen_us:>12.1f}{r.peer_us:>12.1f}{ort:>12}"
            f"{r.peer_over_mcugen:>12.2f}"
        )


def plot(rows: list[Row], path: Path) -> None:
    """A bar chart of microseconds per inference, logarithmic; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 4))
    places = np.arange(len(rows))
    series = (
        ("mcugen", [r.mcugen_us for r in rows], "#1b6ca8"),
        (PEER.replace("==", " "), [r.peer_us for r in rows], "#c9c9c9"),
        ("ONNX Runtime, 1 thread", [r.ort_us or np.nan for r in rows], "#e0a030"),
    )
    for k, (label, values, color) in enumerate(series):
        bars = axes.bar(places + 0.27 * (k - 1), values, 0.25, label=label, color=color)
        axes.bar_label(bars, fmt="%.0f", fontsize=7, padding=1)
    axes.set_yscale("log")
    axes.set_ylabel("microseconds per inference")
    axes.set_xticks(
        places, [r.model.replace("_", "\n", 1).replace("_", " ") for r in rows], fontsize=8
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> int:
    """Run the benchmark; exit 1 when a model is not at least twice as fast as the peer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="model names; all by default")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget-ms", type=float, default=150.0, help="per contestant and round")
    parser.add_argument("--output", type=Path, default=Path("build/bench"))
    parser.add_argument("--plot", type=Path, help="write a bar chart (PNG)")
    args = parser.parse_args()
    if shutil.which(os.environ.get("CC", "gcc")) is None:
        print("the time on this computer needs gcc, or CC=COMMAND", file=sys.stderr)
        return 2
    folder, names = models_to_run(args.models)
    args.output.mkdir(parents=True, exist_ok=True)
    peer = peer_command(args.output)
    rows = [bench_model(folder, n, args.output, peer, args) for n in names]
    print_table(rows)
    if args.plot is not None:
        plot(rows, args.plot)
    compiler = subprocess.run(
        [os.environ.get("CC", "gcc"), "--version"], capture_output=True, text=True, check=True
    )
    report = {
        "schema": 1,
        "mcugen": __version__,
        "peer": PEER,
        "compiler": compiler.stdout.splitlines()[0],
        "flags": list(FLAGS),
        "rows": [asdict(r) for r in rows],
    }
    (args.output / "speed.json").write_text(json.dumps(report, indent=2) + "\n")
    return 0 if all(r.peer_over_mcugen >= 2.0 for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
