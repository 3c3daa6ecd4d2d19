"""CModel -> text of the model's C files, through Jinja2 templates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache

import jinja2

from mcugen import resources
from mcugen.c_model import CFunction, CModel
from mcugen.c_types import (
    array_lines,
    comment_text,
    ctype,
    float_literal,
    int_literal,
    string_text,
)
from mcugen.names import Names

_NAME_MARK = "@function@"


@cache
def environment() -> jinja2.Environment:
    """The one Jinja2 environment: strict, no HTML escaping, trimmed blocks."""
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader([resources.templates(), resources.targets()]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    env.filters["ctype"] = ctype
    env.filters["cfloat"] = float_literal
    env.filters["cint"] = int_literal
    env.filters["carray"] = array_lines
    env.filters["cstring"] = string_text
    env.filters["ccomment"] = comment_text
    env.filters["any_null"] = _any_null
    return env


@cache
def html_environment() -> jinja2.Environment:
    """The same for HTML: everything that a template prints is escaped."""
    env = environment().overlay(autoescape=True)
    env.filters = {**env.filters, "percent": "{:.1%}".format}
    return env


def _any_null(pointers: Sequence[str]) -> str:
    """Condition of an `if`; clang warns of parentheses around a single comparison."""
    tests = [f"{pointer} == NULL" for pointer in pointers]
    return tests[0] if len(tests) == 1 else " || ".join(f"({test})" for test in tests)


def _kernel_text(function: CFunction, trace: str) -> str:
    template = environment().get_template(function.template)
    text = template.render(
        fn=_NAME_MARK,
        signature=function.signature,
        p=function.params,
        scratch_bytes=function.scratch_bytes,
        trace=trace,
    )
    return text.strip("\n") + "\n"


def _kernels(model: CModel) -> tuple[list[str], list[str]]:
    """Texts of the distinct kernel functions, and the function name of every call."""
    names = Names()
    by_text: dict[str, str] = {}
    texts: list[str] = []
    called: list[str] = []
    users: dict[str, list[str]] = {}
    for function in model.functions:
        text = _kernel_text(function, f"{model.macro}_TRACE")
        if text not in by_text:
            by_text[text] = f"{model.prefix}_{names.unique(function.base_name)}"
        called.append(by_text[text])
        users.setdefault(text, []).append(function.comment)
    for text, name in by_text.items():
        comments = "\n".join(f"/* {c} */" for c in users[text])
        texts.append(f"{comments}\n{text.replace(_NAME_MARK, name)}")
    return texts, called


def render(model: CModel) -> dict[str, str]:
    """File name -> text of the model library: headers, code, weights header and weights.

    The same model gives the same bytes: no date, no path, nothing unordered.
    """
    texts, called = _kernels(model)
    calls = tuple(
        dataclasses.replace(call, function=name)
        for call, name in zip(model.calls, called, strict=True)
    )
    model = dataclasses.replace(model, calls=calls)
    env = environment()
    files = {
        f"{model.prefix}.h": "model.h.j2",
        f"{model.prefix}_io.h": "model_io.h.j2",
        f"{model.prefix}.c": "model.c.j2",
        f"{model.prefix}_weights.h": "weights.h.j2",
        f"{model.prefix}_weights.c": "weights.c.j2",
    }
    return {
        name: env.get_template(template).render(m=model, kernels=texts)
        for name, template in files.items()
    }
