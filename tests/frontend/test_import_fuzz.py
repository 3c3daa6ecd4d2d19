"""Whatever the bytes: a Graph or a McugenError that is not our fault. No traceback, no hang."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.defs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from mcugen.errors import InternalError, McugenError
from mcugen.frontend import load, load_model
from mcugen.frontend.schema import Schema, schema_of
from mcugen.ir import Array, DType
from mcugen.ops import registry
from onnx_models import STUBS, chain, model, node, value

EXAMPLES = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MORE = settings(EXAMPLES, max_examples=400)


def survives(path: Path, content: bytes, **more: Any) -> None:
    path.write_bytes(content)
    try:
        load(path, **more)
    except InternalError:
        raise
    except McugenError as error:
        assert str(error)


def rich() -> bytes:
    """A model with a function, a subgraph, constants of several kinds and dimensions by name."""
    function = helper.make_function(
        "local", "F", ["a"], ["b"], [node("Relu", ["a"], ["b"])], [helper.make_opsetid("", 13)]
    )
    branch = helper.make_graph([node("Relu", ["x"], ["r"])], "b", [], [value("r", ["N", 4])])
    nodes = [
        node("F", ["x"], ["f"], domain="local"),
        node("Constant", [], ["k"], value=numpy_helper.from_array(np.arange(4, dtype=np.float32))),
        node("Add", ["f", "k"], ["g"]),
        node("If", ["c"], ["h"], then_branch=branch, else_branch=branch),
        node("DequantizeLinear", ["q", "s"], ["d"], axis=0),
        node("Transpose", ["d"], ["t"], perm=[1, 0]),
        node("Add", ["g", "t"], ["u"]),
        node("Add", ["u", "h"], ["y"]),
    ]
    constants = {
        "c": np.array(True),
        "q": np.arange(-2, 2, dtype=np.int8).reshape(4, 1),
        "s": np.array(0.5, np.float32),
    }
    inputs = [value("x", ["N", 4])]
    proto = model(
        nodes, inputs, [value("y", ["N", 4])], constants, domains={"local": 1}, functions=[function]
    )
    typed = helper.make_tensor("s2", TensorProto.FLOAT, [2], [1.0, 2.0])
    proto.graph.initializer.append(typed)
    return proto.SerializeToString()


SEEDS = {"chain": chain().SerializeToString(), "rich": rich()}


def mutated(content: bytes, edits: list[tuple[str, int, bytes]]) -> bytes:
    """`content` with bytes replaced, inserted, removed or copied at (wrapped) positions."""
    changed = bytearray(content)
    for kind, place, data in edits:
        at = place % (len(changed) + 1)
        if kind == "replace":
            changed[at : at + len(data)] = data
        elif kind == "insert":
            changed[at:at] = data
        elif kind == "remove":
            del changed[at : at + len(data)]
        else:
            changed[at:at] = changed[at : at + 8 * len(data)]
    return bytes(changed)


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["replace", "replace", "insert", "remove", "copy"]),
        st.integers(0, 1 << 16),
        st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@EXAMPLES
@given(content=st.binary(max_size=300))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    survives(tmp_path / "m.onnx", content, **STUBS)


@MORE
@given(seed=st.sampled_from(sorted(SEEDS)), edits=EDITS)
def test_edited_models(tmp_path: Path, seed: str, edits: list[tuple[str, int, bytes]]) -> None:
    survives(tmp_path / "m.onnx", mutated(SEEDS[seed], edits))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_truncation(tmp_path: Path, seed: str) -> None:
    for length in range(len(SEEDS[seed])):
        survives(tmp_path / "m.onnx", SEEDS[seed][:length])


@pytest.mark.parametrize("seed", SEEDS)
def test_every_flipped_byte(tmp_path: Path, seed: str) -> None:
    for at in range(len(SEEDS[seed])):
        for mask in (0x01, 0x80, 0xFF):
            content = bytearray(SEEDS[seed])
            content[at] ^= mask
            survives(tmp_path / "m.onnx", bytes(content))


def nested_branches(levels: int) -> onnx.ModelProto:
    """If in If in If ... around one Relu."""
    other = helper.make_graph([], "e", [], [value("x", [1])])
    inner = node("Relu", ["x"], ["r0"])
    for level in range(levels):
        graph = helper.make_graph([inner], "b", [], [value(f"r{level}", [1])])
        inner = node("If", ["c"], [f"r{level + 1}"], then_branch=graph, else_branch=other)
    return model([inner], [value("x", [1])], [f"r{levels}"], {"c": np.array(True)})


@pytest.mark.parametrize("levels", [1, 12])
def test_nested_branches_within_the_limits(levels: int) -> None:
    graph = load_model(nested_branches(levels), **STUBS).graph
    assert [n.op for n in graph.nodes] == ["Relu"] + ["Identity"] * levels


@pytest.mark.parametrize("levels", [60, 1000, 5000])
def test_nesting_that_only_a_file_can_have(tmp_path: Path, levels: int) -> None:
    """Length-delimited fields within each other: graph.node.attribute.g.node.attribute.g ..."""
    content = b""
    for _ in range(levels):
        for field in (0x32, 0x2A, 0x0A):  # attribute.g, node.attribute, graph.node
            content = bytes([field]) + varint(len(content)) + content
    content = b"\x08\x08\x42\x02\x10\x0d\x3a" + varint(len(content)) + content
    survives(tmp_path / "m.onnx", content, **STUBS)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


# --- well-formed models with wild nodes: every operator's own importer ----------------------------

WILD = [-(2**63), -(2**31), -5, 7, 100, 2**31 - 1, 2**40, 2**63 - 1]
FLOATS = [0.0, -1.0, 0.5, 1.0, 2.0, 1e30, -1e-30, math.inf, -math.inf, math.nan]
TEXTS = ["", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "constant", "edge", "linear", "none"]

shapes = st.one_of(
    st.sampled_from([(1, 2, 4, 4), (2, 2, 1, 1), (1, 2, 5), (2, 2, 3), (3, 4), (4,), (2,), ()]),
    st.lists(st.sampled_from([0, 1, 1, 2, 3, 4, 5]), max_size=5).map(tuple),
)
ints = st.one_of(*[st.integers(-1, 3)] * 5, st.sampled_from(WILD))


@st.composite
def arrays(draw: st.DrawFn, types: Sequence[str] = ("float32",)) -> Array:
    """A small array; integers are mostly plausible as axes, shapes or pads."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    shape = draw(shapes)
    size = math.prod(shape)
    pool: st.SearchStrategy[Any] = st.sampled_from(FLOATS) if dtype.kind == "f" else ints
    values = draw(st.lists(pool, min_size=size, max_size=size))
    with np.errstate(all="ignore"):
        wide = np.array(values, np.float64 if dtype.kind == "f" else np.int64)
        return wide.astype(dtype).reshape(shape)


VALUES: dict[int, st.SearchStrategy[Any]] = {
    AttributeProto.INT: ints,
    AttributeProto.FLOAT: st.sampled_from(FLOATS),
    AttributeProto.STRING: st.sampled_from(TEXTS),
    AttributeProto.INTS: st.lists(ints, max_size=6),
    AttributeProto.FLOATS: st.lists(st.sampled_from(FLOATS), max_size=4),
    AttributeProto.STRINGS: st.lists(st.sampled_from(TEXTS), max_size=3),
    AttributeProto.TENSOR: arrays(("float32", "int64", "int8")).map(numpy_helper.from_array),
}

OTHERS = st.sampled_from(sorted({s.name for s in onnx.defs.get_all_schemas() if not s.domain}))
"""All operators of the default domain: what nobody imports is taken apart by its definition."""

NUMPY_NAMES = {"float": "float32", "double": "float64"}
CONTRIB = (("float32", "uint8"), ("float32",), ("uint8", "int8"))
"""Types of the inputs of a com.microsoft operator, which has no schema: x, scale, zero point."""


def input_types(schema: Schema | None, index: int) -> list[str]:
    """NumPy names of the types that input `index` may have, float32 most often."""
    if schema is None:
        return list(CONTRIB[index % 3])
    types = schema.inputs[min(index, len(schema.inputs) - 1)].types
    names = {NUMPY_NAMES.get(t[7:-1], t[7:-1]) for t in types if t.startswith("tensor(")}
    known = sorted(names & {d.value for d in DType})
    return ["float32"] * 9 + known if "float32" in known else known or ["float32"]


@st.composite
def wild_models(draw: st.DrawFn) -> onnx.ModelProto:
    """One node, mostly of a supported operator, its inputs and attributes of any value."""
    op = draw(st.one_of(*[st.sampled_from(sorted(registry.importers()))] * 4, OTHERS))
    domain, _, name = op.rpartition("::")
    opset = draw(st.sampled_from([7, 9, 10, 11, 12, 13, 15, 18, 21, 23]))
    schema = schema_of(name, opset, domain)
    proto = onnx.NodeProto(op_type=name, domain=domain, name="n")
    kinds = {n: k for n, (k, _) in schema.attributes.items()} if schema else {"axis": 2}
    for key, kind in kinds.items():
        if kind in VALUES and draw(st.booleans()):
            attribute = helper.make_attribute(key, draw(VALUES[kind]), attr_type=kind)
            proto.attribute.append(attribute)
    inputs, constants = [], {}
    fewest, most = schema.input_range if schema else (0, 9)
    for index in range(draw(st.integers(fewest, min(most, fewest + 2)))):
        array = draw(arrays(input_types(schema, index)))
        proto.input.append(draw(st.sampled_from([f"i{index}"] * 9 + ["", "i0"])))
        if draw(st.booleans()):
            constants[f"i{index}"] = array
        else:
            code = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(value(f"i{index}", array.shape, code))
    outputs = [f"o{i}" for i in range(draw(st.sampled_from([1, 1, 1, 2, 3])))]
    proto.output.extend(outputs)
    return model([proto], inputs, outputs, constants, opset=opset, domains={"com.microsoft": 1})


@MORE
@given(proto=wild_models())
def test_wild_nodes(proto: onnx.ModelProto) -> None:
    try:
        load_model(proto)
    except InternalError:
        raise
    except McugenError as error:
        assert str(error)


# --- real models ---------------------------------------------------------------------------------


@pytest.mark.zoo
@settings(EXAMPLES, max_examples=300)
@given(data=st.data())
def test_edited_real_models(tmp_path: Path, models_dir: Path, data: st.DataObject) -> None:
    paths = [p for p in sorted(models_dir.glob("*.onnx")) if p.stat().st_size < 120_000]
    content = data.draw(st.sampled_from(paths)).read_bytes()
    survives(tmp_path / "m.onnx", mutated(content, data.draw(EDITS)))
