"""C identifiers and model prefixes."""

from __future__ import annotations

import pytest

from mcugen.names import Names, identifier, model_prefix, shortened


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("KWS DS-CNN", "kws_ds_cnn"),
        ("Größe", "groe"),
        ("../../etc/passwd", "etc_passwd"),
        ("3d", "n3d"),
        ("", "model"),
        ("日本", "model"),
        ("class", "class_"),
        ("__x__", "x"),
    ],
)
def test_identifier(text: str, wanted: str) -> None:
    assert identifier(text) == wanted


@pytest.mark.parametrize("name", ["math", "string", "stdint", "Memory", "mcugen_rt", "time"])
def test_a_model_hides_no_header(name: str) -> None:
    assert model_prefix(name) == f"{name.lower()}_model"


def test_other_names_are_kept() -> None:
    assert model_prefix("maths") == "maths"
    assert model_prefix("float") == "float_"


def test_a_long_name_is_cut() -> None:
    assert model_prefix("a" * 300) == "a" * 60
    assert model_prefix("a" * 59 + "_b") == "a" * 59


def test_each_name_is_given_once() -> None:
    names = Names()
    assert [names.unique(t) for t in ("a b", "a_b", "A-B", "int", "int")] == [
        "a_b", "a_b_2", "a_b_3", "int_", "int_2",
    ]  # fmt: skip


def test_shortened_keeps_the_end() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcdefgh", 6) == "...fgh"
