"""Initializers: decoded exactly, refused when the bytes disagree with the header."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mcugen.errors import ModelError, UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.ir import Array, DType
from mcugen.ops.spec import ImportContext, OpSpec, TensorType
from onnx_models import STUBS, NoAttrs, model, node


def constant_model(tensor: onnx.TensorProto) -> onnx.ModelProto:
    tensor.name = "w"
    proto = model([node("Identity", ["w"], ["y"])], [], ["y"])
    proto.graph.initializer.append(tensor)
    return proto


def _read(ctx: ImportContext) -> None:
    ctx.emit("Read", ctx.inputs, NoAttrs(), ctx.outputs)


READ = OpSpec("Read", lambda attrs, inputs: (TensorType((), DType.FLOAT32),))
"""Takes anything and is not computed while importing."""


def loaded(tensor: onnx.TensorProto) -> Array:
    proto = constant_model(tensor)
    found = load_model(proto, importers={"Identity": _read}, specs={"Read": READ})
    data = found.graph["w"].data
    assert data is not None
    return data


def refused(tensor: onnx.TensorProto) -> str:
    with pytest.raises(ModelError) as caught:
        load_model(constant_model(tensor), **STUBS)
    return caught.value.message


EXTREMES: dict[DType, list[Any]] = {
    dtype: [np.iinfo(dtype.np).min, 0, np.iinfo(dtype.np).max]
    for dtype in DType
    if dtype.is_integer
} | {DType.BOOL: [True, False, True]}
for _dtype in (DType.FLOAT16, DType.FLOAT32, DType.FLOAT64):
    EXTREMES[_dtype] = [np.finfo(_dtype.np).max, -0.0, np.inf, np.nan, 1e-7]


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
@pytest.mark.parametrize("dtype", DType)
def test_every_type_keeps_its_bits(dtype: DType, raw: bool) -> None:
    wanted = np.array(EXTREMES[dtype], dtype.np)
    tensor = numpy_helper.from_array(wanted)
    if not raw:
        bits = {DType.FLOAT16: np.uint16, DType.BOOL: np.uint8}
        values = wanted.view(bits.get(dtype, wanted.dtype))
        tensor = onnx.TensorProto(data_type=tensor.data_type, dims=wanted.shape)
        getattr(tensor, helper.tensor_dtype_to_field(tensor.data_type)).extend(values.tolist())
    got = loaded(tensor)
    assert got.dtype == wanted.dtype
    assert got.tobytes() == wanted.tobytes()
    assert not got.flags.writeable


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1, 2)])
def test_any_rank_and_zero_sizes(shape: tuple[int, ...]) -> None:
    wanted = np.zeros(shape, np.float32)
    assert loaded(numpy_helper.from_array(wanted)).shape == shape


def test_a_scalar_in_a_typed_field() -> None:
    assert loaded(TensorProto(data_type=TensorProto.FLOAT, float_data=[2.5])).item() == 2.5


def tensor(kind: int, dims: list[int], **fields: Any) -> TensorProto:
    return TensorProto(data_type=kind, dims=dims, **fields)


F, I8, I64 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.INT64

MALFORMED = {
    "raw-short": (tensor(F, [3], raw_data=bytes(8)), "[3] float32 needs 12 bytes, raw_data has 8"),
    "raw-long": (tensor(I8, [2], raw_data=bytes(3)), "[2] int8 needs 2 bytes, raw_data has 3"),
    "typed-short": (tensor(F, [3], float_data=[1.0]), "[3] needs 3 values, float_data has 1"),
    "no-values": (tensor(F, [2]), "[2] needs 2 values, float_data has 0"),
    "wrong-field": (tensor(F, [1], int64_data=[1]), "must be in float_data, not int64_data"),
    "out-of-range": (tensor(I8, [1], int32_data=[128]), "a value does not fit int8"),
    "negative": (tensor(F, [-1], raw_data=b""), "has a negative dimension: [-1]"),
    "both-negative": (tensor(I8, [-2, -2], raw_data=bytes(4)), "negative dimension: [-2,-2]"),
    "huge": (tensor(I8, [2**40]), "is too large: [1099511627776] needs 1099511627776 bytes"),
    "over-2-gib": (tensor(I64, [2**14, 2**14]), "the limit is 2147483647"),
    "overflow": (tensor(F, [2**62, 2**62]), "is too large"),
    "rank": (tensor(F, [1] * 33, float_data=[1.0]), "has 33 dimensions, the limit is 32"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_bytes_must_agree_with_the_header(case: str) -> None:
    proto, problem = MALFORMED[case]
    message = refused(proto)
    assert "tensor 'w'" in message
    assert problem in message


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (TensorProto.STRING, "string"),
        (TensorProto.COMPLEX64, "complex64"),
        (TensorProto.BFLOAT16, "bfloat16"),
        (TensorProto.FLOAT8E4M3FN, "float8e4m3fn"),
        (TensorProto.INT4, "int4"),
        (TensorProto.UNDEFINED, "undefined"),
        (99, "type 99"),
    ],
)
def test_a_type_that_no_kernel_has(kind: int, name: str) -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        load_model(constant_model(tensor(kind, [1], raw_data=bytes(8))), **STUBS)
    (found,) = caught.value.unsupported
    assert found.op == "Identity"
    assert found.reason == f"constant 'w' is a tensor of {name}, which is not supported"


def test_duplicate_initializers() -> None:
    proto = constant_model(numpy_helper.from_array(np.zeros(1, np.float32)))
    proto.graph.initializer.append(proto.graph.initializer[0])
    with pytest.raises(ModelError, match="initializer 'w' is given 2 times"):
        load_model(proto, **STUBS)


def test_an_initializer_without_a_name() -> None:
    proto = constant_model(numpy_helper.from_array(np.zeros(1, np.float32)))
    proto.graph.initializer[0].name = ""
    with pytest.raises(ModelError, match="an initializer has no name"):
        load_model(proto, **STUBS)


def test_sparse_initializers() -> None:
    proto = constant_model(numpy_helper.from_array(np.zeros(1, np.float32)))
    proto.graph.sparse_initializer.add()
    with pytest.raises(ModelError, match="sparse initializers are not supported"):
        load_model(proto, **STUBS)
