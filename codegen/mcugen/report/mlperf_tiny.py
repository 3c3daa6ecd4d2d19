"""Runs in the shape of MLPerf Tiny's results: benchmark, system, throughput, energy, accuracy.

The columns are those of the published tables, the benchmarks' short names those of a submission's
folders (mlcommons/tiny, results/SYSTEM/BENCHMARK). It is the shape only: a submission is a run of
MLPerf's own runner, checked by others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mcugen.report.document import Section, Table
from mcugen.report.quantity import share
from mcugen.report.run import Run
from mcugen.targets import list_targets

_BENCHMARKS = ("vww", "ic", "kws", "ad")
"""Visual wake words, image classification, keyword spotting, anomaly detection."""

_COLUMNS = (
    "benchmark", "system", "processor", "clock>", "framework", "inf/s>", "uJ/inf>", "accuracy>",
)  # fmt: skip


def benchmark_of(model: str) -> str | None:
    """vww, ic, kws or ad where the file's name has it as a word; None otherwise."""
    words = re.split(r"[^a-z0-9]+", model.lower())
    return next((short for short in _BENCHMARKS if short in words), None)


def mlperf_json(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """One object a run; what it does not have is null."""
    processors = {t.name: t.processor for t in list_targets()}
    return [
        {
            "benchmark": benchmark_of(run.model),
            "model": run.model,
            "system": run.set_up["board"],
            "processor": processors.get(run.board),
            "clock_mhz": run.clock_hz / 1e6 if run.clock_hz else None,
            "framework": f"mcugen, {run.set_up['kernels']}",
            "throughput_inf_s": run.throughput,
            "energy_uj": None if run.energy_j is None else 1e6 * run.energy_j,
            "accuracy": run.accuracy,
            "source": run.source,
        }
        for run in runs
    ]


def mlperf_section(runs: Sequence[Run]) -> Section:
    """The table; every row that is not of hardware says so."""
    rows = []
    for run, row in zip(runs, mlperf_json(runs), strict=True):
        mark = "" if run.source == "measured" else f" ({run.source})"
        rows.append(
            (
                row["benchmark"] or run.model,
                f"{row['system']}{'' if run.source in row['system'] else mark}",
                row["processor"] or "-",
                "-" if row["clock_mhz"] is None else f"{row['clock_mhz']:g} MHz",
                row["framework"],
                _decimals(row["throughput_inf_s"], 2),
                _decimals(row["energy_uj"], 1),
                share(run.accuracy),
            )
        )
    note = "The shape of MLPerf Tiny's tables; no submission, which its own runner would make."
    return Section(
        "MLPerf Tiny's shape",
        (note,),
        table=Table(_COLUMNS, tuple(rows)).without_empty(),
        is_wide=True,
    )


def _decimals(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
