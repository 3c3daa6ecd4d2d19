"""How element types and numbers are written in C."""

from __future__ import annotations

import math

from mcugen.ir import Array, DType

C_TYPES = {
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
    DType.INT8: "int8_t",
    DType.UINT8: "uint8_t",
    DType.INT16: "int16_t",
    DType.UINT16: "uint16_t",
    DType.INT32: "int32_t",
    DType.UINT32: "uint32_t",
    DType.INT64: "int64_t",
    DType.UINT64: "uint64_t",
    DType.BOOL: "bool",
}
"""Element type -> C type; float16 has none."""

MCUGEN_TYPES = {dtype: f"MCUGEN_{dtype.name}" for dtype in C_TYPES}
"""Element type -> the runtime's `mcugen_dtype` constant."""

MCUGEN_DTYPES = {
    1: DType.FLOAT32,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    9: DType.BOOL,
    11: DType.FLOAT64,
    12: DType.UINT32,
    13: DType.UINT64,
}
"""Value of an `mcugen_dtype` -> element type."""


def ctype(dtype: DType) -> str:
    """The C type of an element type."""
    return C_TYPES[dtype]


def float_literal(value: float, suffix: str = "f") -> str:
    """Exact hexadecimal literal; `INFINITY`, `NAN` of math.h where there is none."""
    value = float(value)
    cast = "" if suffix else "(double)"  # the macros are floats
    if math.isnan(value):
        return f"{cast}NAN"
    if math.isinf(value):
        return f"{cast}INFINITY" if value > 0 else f"-{cast}INFINITY"
    mantissa, exponent = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}{suffix}"


def int_literal(value: int) -> str:
    """A literal of the smallest of int, int64_t and uint64_t that holds `value`."""
    value = int(value)
    if value == -(2**31):
        return "INT32_MIN"
    if value == -(2**63):
        return "INT64_MIN"
    if -(2**31) < value < 2**31:
        return str(value)
    return f"INT64_C({value})" if value < 2**63 else f"UINT64_C({value})"


def array_items(array: Array) -> list[str]:
    """Each element of a 1-D array as a C initializer of its own type."""
    kind = array.dtype.kind
    if kind == "f":
        suffix = "f" if array.dtype.itemsize == 4 else ""
        return [float_literal(v, suffix) for v in array.tolist()]
    if kind == "b":
        return ["true" if v else "false" for v in array.tolist()]
    if kind == "u" and array.dtype.itemsize >= 4:
        return [f"{v}U" if v < 2**32 else f"UINT64_C({v})" for v in array.tolist()]
    return [int_literal(v) for v in array.tolist()]


def array_lines(array: Array, width: int = 96) -> list[str]:
    """The elements of an array as lines of at most `width` characters; `0` for an empty one."""
    items = array_items(array.reshape(-1)) or ["0"]
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 2 > width:
            lines.append(line)
            line = ""
        line += f" {item}," if line else f"{item},"
    lines.append(line)
    return lines


def string_text(text: str) -> str:
    """`text` for the inside of a C string literal: UTF-8, octal escapes, no trigraphs."""
    plain = {ord(" "), *range(48, 58), *range(65, 91), *range(97, 123), *b"_-+./:;,()[]<>=*#@!%&"}
    return "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode("utf-8", "replace"))


def comment_text(text: str) -> str:
    """`text` made safe inside a C comment: printable ASCII, no comment delimiters."""
    plain = "".join(ch if 32 <= ord(ch) < 127 else "?" for ch in text)
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
