"""AttributeProto -> Python value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx
from onnx import AttributeProto

from mcugen.frontend.external import ExternalFiles
from mcugen.frontend.malformed import Malformed, shown, text
from mcugen.frontend.values import ForeignTypeError, decode
from mcugen.ops.spec import Reject


def _string(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Malformed(f"attribute text {value[:20]!r} is not valid UTF-8") from None


_SIMPLE: dict[int, Callable[[AttributeProto], Any]] = {
    AttributeProto.FLOAT: lambda a: float(a.f),
    AttributeProto.INT: lambda a: int(a.i),
    AttributeProto.STRING: lambda a: _string(a.s),
    AttributeProto.FLOATS: lambda a: tuple(a.floats),
    AttributeProto.INTS: lambda a: tuple(a.ints),
    AttributeProto.STRINGS: lambda a: tuple(_string(s) for s in a.strings),
}


def attribute_value(attribute: onnx.AttributeProto, files: ExternalFiles) -> Any:
    """int, float, str, a tuple of those, or an array for a tensor.

    Raises:
        Reject: a graph, a sparse tensor, a type, or a tensor of a type that the IR lacks.
        Malformed: the tensor's bytes disagree with its header, or text is not UTF-8.
    """
    convert = _SIMPLE.get(attribute.type)
    if convert is not None:
        return convert(attribute)
    name = shown(text(attribute.name))
    if attribute.type == AttributeProto.TENSOR:
        try:
            return decode(attribute.t, files)
        except ForeignTypeError as error:
            raise Reject(f"attribute {name} has type {error.type_name}") from None
    raise Reject(f"attribute {name} of kind {kind_name(attribute.type)} is not supported")


def kind_name(kind: int) -> str:
    """ONNX's name of an attribute type in lower case."""
    try:
        return str(AttributeProto.AttributeType.Name(kind)).lower()
    except ValueError:
        return f"type {kind}"
