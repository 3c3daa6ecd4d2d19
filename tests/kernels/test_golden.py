"""The recorded cases of vendors' kernels, byte for byte, and the account of all of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from goldencase import ELSEWHERE, RECORDED, calls_of, check_calls
from kernel_calls import CALLS

CASES = 683
"""How many were recorded."""


@pytest.mark.parametrize("file", RECORDED)
def test_recorded_cases(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, CALLS[file]), file)


def test_every_case_is_accounted_for(golden_dir: Path) -> None:
    index = json.loads((golden_dir / "index.json").read_text(encoding="utf-8"))
    entries = {name.removesuffix(".npz"): e for name, e in index["files"].items()}
    found = {name: len(e) for name, e in entries.items() if isinstance(e, list)}
    known = {name: r.cases for name, r in RECORDED.items()}
    tables = {name: count for name, (count, _) in ELSEWHERE.items()}
    assert found == known | tables and not known.keys() & tables.keys()
    assert sum(found.values()) == CASES
    assert set(entries) - set(found) == {"primitives"}  # tests/quantize, tests/ops/test_softmax.py


def test_what_runs_where() -> None:
    """Reference and portable kernels: all but the tables. Stand-ins: what the libraries take."""
    taken: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for file, recorded in RECORDED.items():
        for library, count in recorded.taken.items():
            refused = recorded.refused.get(library, {})
            assert count + sum(refused.values()) == recorded.cases, (file, library)
            taken[library] += count
            told[library] += sum(refused.values())
    assert sum(r.cases for r in RECORDED.values()) == 648
    assert taken == {"cmsis_nn": 618, "esp_nn": 230}
    assert +told == {"esp_nn": 362}
    assert {n for n, r in RECORDED.items() if "cmsis_nn" not in r.taken} == {"mean"}
    assert {n for n, r in RECORDED.items() if "esp_nn" not in r.taken} == {"tconv", "act_s16"}
