"""The form of graphs: names, initializers, functions, symbols, rank 0, what passes through."""

from __future__ import annotations

import itertools

import numpy as np
from onnx import helper

from conversion_cases.case import Case, case, counting, f32
from onnx_models import model, node, value

NAMES = ("a.b", "a_b", "a/b", "a:0", "0x", "int", "main", "free", "é")


def _names() -> Case:
    nodes = [node("Add", [before, "one"], [after]) for before, after in itertools.pairwise(NAMES)]
    expected = {name: f32([5 + i]) for i, name in enumerate(NAMES) if i}
    return case("O33-awkward-names", nodes, {NAMES[0]: f32([5])}, expected, {"one": f32(1)})


def _initializer_input() -> Case:
    proto = model(
        [node("Add", ["x", "w"], ["y"])], [value("x", [2]), value("w", [2])], [value("y", [2])],
        {"w": f32([1, 2])}, opset=7, ir=3,
    )  # fmt: skip
    return Case("O34-initializer-among-inputs", proto, {"x": f32([1, 1])}, {"y": f32([2, 3])})


def _function() -> Case:
    body = [node("Relu", ["a"], ["t"]), node("Add", ["t", "b"], ["c"])]
    function = helper.make_function(
        "pkg.local", "ReluAdd", ["a", "b"], ["c"], body, [helper.make_opsetid("", 13)]
    )
    nodes = [
        node("ReluAdd", ["x", "x"], ["h"], domain="pkg.local"),
        node("ReluAdd", ["h", "x"], ["y"], domain="pkg.local"),
    ]
    return case(
        "O35-model-local-function", nodes, {"x": f32([-1, 2])}, f32([-1, 6]),
        domains={"pkg.local": 1}, functions=[function],
    )  # fmt: skip


def _symbolic(name: str, dims: dict[str, int], batch: int) -> Case:
    proto = model([node("Relu", ["x"], ["y"])], [value("x", ["N", 3])], [value("y", ["N", 3])])
    x = counting(batch, 3) - 1
    return Case(name, proto, {"x": x}, {"y": np.maximum(x, 0)}, dims)


FILES = (
    _names(),
    _initializer_input(),
    _function(),
    _symbolic("O40-symbolic-batch-assumed", {}, 1),
    _symbolic("O40-symbolic-batch-given", {"N": 1}, 1),
    _symbolic("O40-symbolic-batch-of-2", {"N": 2}, 2),
)

RANK_0 = (
    case(
        "O41-rank-0-everything",
        node("Div", ["x", "w"], ["y"]),
        {"x": f32(3)},
        f32(1.5),
        {"w": f32(2)},
    ),
    case(
        "O41-div-by-rank-0-input",
        node("Div", ["x", "d"], ["y"]),
        {"x": f32([2, 4]), "d": f32(4)},
        f32([0.5, 1]),
    ),
    case("O41-rank-0-unary", node("Neg", ["x"], ["y"]), {"x": f32(3)}, f32(-3)),
)

PASSING = (
    case(
        "O42-reshape-to-output",
        node("Reshape", ["x", "s"], ["y"]),
        {"x": counting(2, 3)},
        counting(6),
        {"s": np.array([6])},
    ),
    case(
        "O42-identity-to-output",
        node("Identity", ["x"], ["y"]),
        {"x": counting(2, 3)},
        counting(2, 3),
    ),
    case(
        "O42-input-is-output",
        node("Neg", ["x"], ["y"]),
        {"x": counting(2)},
        {"y": f32([0, -1]), "x": counting(2)},
    ),
    case(
        "O42-one-value-two-outputs",
        [
            node("Neg", ["x"], ["t"]),
            node("Identity", ["t"], ["y"]),
            node("Identity", ["t"], ["z"]),
        ],
        {"x": counting(2)},
        {"y": f32([0, -1]), "z": f32([0, -1]), "t": f32([0, -1])},
    ),
    case(
        "O42-constant-is-output",
        node("Neg", ["x"], ["y"]),
        {"x": counting(2)},
        {"y": f32([0, -1]), "w": f32([7])},
        {"w": f32([7])},
    ),
)

TWICE = (
    case(
        "O43-add-itself", node("Add", ["x", "x"], ["y"]), {"x": counting(3)}, f32([0, 2, 4])
    ),
    case(
        "O43-concat-itself",
        node("Concat", ["x", "x"], ["y"], axis=0),
        {"x": counting(2, 2)},
        f32([0, 1, 2, 3, 0, 1, 2, 3], 4, 2),
    ),
    case(
        "O43-mul-constant-itself",
        [node("Mul", ["w", "w"], ["t"]), node("Add", ["x", "t"], ["y"])],
        {"x": counting(2)},
        f32([9, 17]),
        {"w": f32([3, 4])},
    ),
)  # fmt: skip


def _if(condition: bool, expected: list[float]) -> Case:
    then = helper.make_graph([node("Neg", ["x"], ["t"])], "t", [], [value("t", [2])])
    other = helper.make_graph([node("Add", ["x", "x"], ["t"])], "e", [], [value("t", [2])])
    return case(
        f"O44-if-{str(condition).lower()}",
        node("If", ["c"], ["y"], then_branch=then, else_branch=other),
        {"x": counting(2)},
        f32(expected),
        {"c": np.array(condition)},
    )


CONTROL = (_if(True, [0, -1]), _if(False, [0, 2]))

CASES = (*FILES, *RANK_0, *PASSING, *TWICE, *CONTROL)
