"""A model's NAME_io.h as functions on NumPy arrays: each helper behind a function of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cffi
import numpy as np

from mcugen.c_model import CModel, CTensor
from mcugen.compiler import Compiled
from mcugen.host import runtime_headers
from mcugen.io_helpers import Normalization
from mcugen.ir import Array
from mcugen.toolchain import STRICT_WARNINGS, Compiler, build

_TYPES = """
typedef struct { float scale; float mean[3]; float std[3]; bool swap_red_blue; } normalization;
"""


def _input_functions(prefix: str, t: CTensor) -> list[tuple[str, str]]:
    """(signature, body) of the helpers of an input."""
    fn, found = f"{prefix}_input{t.index}", []
    how = "const mcugen_normalization *how"
    if t.quantizable:
        found.append((f"{t.ctype} t_quantize{t.index}(float x)", f"return {fn}_quantize(x);"))
        if t.elems:
            signature = f"void t_quantize_all{t.index}(const float *x, {t.ctype} *y)"
            found.append((signature, f"{fn}_quantize_all(x, y);"))
    if t.image:
        signature = f"(const uint8_t *x, {how}, {t.ctype} *y)"
        found.append((f"void t_image{t.index}{signature}", f"{fn}_image(x, how, y);"))
        if t.quantizable and t.dtype.itemsize == 1:
            body = f"static {fn}_table table; {fn}_fill_table(how, &table); "
            body += f"{fn}_image_by_table(x, &table, y);"
            found.append((f"void t_by_table{t.index}{signature}", body))
    return found


def _output_functions(prefix: str, t: CTensor) -> list[tuple[str, str]]:
    fn, found = f"{prefix}_output{t.index}", []
    if t.quantized:
        found.append((f"float t_dequantize{t.index}({t.ctype} q)", f"return {fn}_dequantize(q);"))
        if t.elems:
            signature = f"void t_dequantize_all{t.index}(const {t.ctype} *x, float *y)"
            found.append((signature, f"{fn}_dequantize_all(x, y);"))
    if t.elems and t.dtype.value != "bool":
        best = f"uint32_t t_argmax{t.index}(const {t.ctype} *x)"
        found.append((best, f"return {fn}_argmax(x);"))
        top = f"uint32_t t_topk{t.index}(const {t.ctype} *x, uint32_t k, uint32_t *y)"
        found.append((top, f"return {fn}_topk(x, k, y);"))
    return found


def _functions(model: CModel) -> list[tuple[str, str]]:
    inputs = [f for t in model.inputs for f in _input_functions(model.prefix, t)]
    return inputs + [f for t in model.outputs for f in _output_functions(model.prefix, t)]


class IoProgram:
    """The helpers of one model, compiled under strict flags."""

    def __init__(
        self, compiled: Compiled, *, compiler: Compiler | None = None, flags: Sequence[str] = ()
    ) -> None:
        model = compiled.model
        functions = _functions(model)
        text = f'#include "{model.prefix}_io.h"\n'
        text += "".join(f"{s};\n{s}\n{{\n    {body}\n}}\n" for s, body in functions)
        headers = {n: t for n, t in compiled.files.items() if n.endswith(".h")}
        files = {**runtime_headers(), **headers, "helpers.c": text}
        library = build(files, compiler=compiler, flags=("-O2", *STRICT_WARNINGS, *flags))
        self._ffi = cffi.FFI()
        declarations = "".join(f"{s};\n" for s, _ in functions)
        self._ffi.cdef(_TYPES + declarations.replace("mcugen_normalization", "normalization"))
        self._lib = self._ffi.dlopen(str(library))

    def has(self, name: str) -> bool:
        """Whether the model has this helper."""
        return hasattr(self._lib, f"t_{name}")

    def one(self, name: str, value: Any) -> Any:
        """A helper of one number."""
        return getattr(self._lib, f"t_{name}")(value)

    def whole(self, name: str, x: Array, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
        """A helper of a whole tensor."""
        y = np.zeros(shape, dtype)
        getattr(self._lib, f"t_{name}")(*self._pointers(name, x, y))
        return y

    def image(
        self, name: str, pixels: Array, how: Normalization, tensor: CTensor, at: int = 0
    ) -> Array:
        """A helper of images, `at` elements into a tensor of zeros."""
        y = np.zeros(tensor.shape, tensor.dtype.np)
        (x,) = self._pointers(name, pixels)
        c_how = self._ffi.new("normalization *")
        c_how.scale, c_how.swap_red_blue = how.scale, how.swap_red_blue
        c_how.mean, c_how.std = [float(v) for v in how.mean], [float(v) for v in how.std]
        to = self._ffi.cast(f"{tensor.ctype} *", y.ctypes.data) + at
        getattr(self._lib, f"t_{name}")(x, c_how, to)
        return y

    def argmax(self, index: int, values: Array) -> int:
        """Of an output."""
        (x,) = self._pointers(f"argmax{index}", values)
        return int(getattr(self._lib, f"t_argmax{index}")(x))

    def topk(self, index: int, values: Array, k: int) -> Array:
        """Of an output; also that nothing behind the k indices is written."""
        mark = np.uint32(0xFFFFFFFF)
        y = np.full(k + 1, mark, np.uint32)
        function = getattr(self._lib, f"t_topk{index}")
        (x,) = self._pointers(f"topk{index}", values)
        count = function(x, k, self._ffi.cast("uint32_t *", y.ctypes.data))
        assert (y[count:] == mark).all()
        return y[:count]

    def _pointers(self, name: str, *arrays: Array) -> list[Any]:
        types = self._ffi.typeof(getattr(self._lib, f"t_{name}")).args
        kinds = [t for t in types if t.kind == "pointer" and "normalization" not in t.cname]
        pairs = zip(arrays, kinds, strict=False)
        return [self._ffi.cast(kind, a.ctypes.data) for a, kind in pairs]
