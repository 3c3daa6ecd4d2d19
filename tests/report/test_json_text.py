"""Report files are JSON for every parser."""

from __future__ import annotations

import json
import math

from mcugen.report.json_text import json_text


def test_what_is_not_finite_becomes_null() -> None:
    value = {"a": [1.5, math.inf, (math.nan, -math.inf)], "b": {"c": 3, "d": "inf", "e": True}}
    assert json.loads(json_text(value)) == {
        "a": [1.5, None, [None, None]],
        "b": {"c": 3, "d": "inf", "e": True},
    }
    assert json_text({"a": 1}) == '{\n  "a": 1\n}\n'
