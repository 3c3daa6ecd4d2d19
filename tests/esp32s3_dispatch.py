"""ESP-NN's C for the ESP32-S3 with C in place of its assembly, where its sources are at hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from mcugen import host
from mcugen.ir import Array
from mcugen.ops.esp_nn.form import ConvForm
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.vendor.weighted import is_depthwise
from mcugen.toolchain import ForeignSources, build

FLAGS = ("-DCONFIG_NN_OPTIMIZED", "-DCONFIG_IDF_TARGET_ESP32S3=1")
"""What ESP-IDF defines for this chip, as far as the headers look."""

_C = (
    "convolution/esp_nn_conv_esp32s3.c",
    "convolution/esp_nn_conv_ansi.c",
    "convolution/esp_nn_depthwise_conv_s8_esp32s3.c",
    "convolution/esp_nn_depthwise_conv_opt.c",
    "fully_connected/esp_nn_fully_connected_esp32s3.c",
    "pooling/esp_nn_avg_pool_s8_esp32s3.c",
    "pooling/esp_nn_avg_pool_ansi.c",
    "pooling/esp_nn_max_pool_ansi.c",
    "softmax/esp_nn_softmax_s8_esp32s3.c",
    "common/esp_nn_mean_s8_esp32s3.c",
    "basic_math/esp_nn_add_ansi.c",
    "basic_math/esp_nn_mul_ansi.c",
)
_CANARY_BYTES = 2**16
_CANARY = 0xC3

_CDEF = """
typedef struct { int32_t width, height, channels, extra; } dims;
typedef struct { int32_t in_offset, out_offset, stride_w, stride_h, pad_w, pad_h, dil_w, dil_h,
    low, high; } conv_params;
typedef struct { int32_t in_offset, out_offset, ch_mult, stride_w, stride_h, pad_w, pad_h, dil_w,
    dil_h, low, high; } dw_params;
typedef struct { int32_t *shift, *mult; } quant;
int esp32s3_faults(void);
"""
_CONVOLUTION = """
int esp_nn_get_{0}_scratch_size_{1}(const dims *, const dims *, const dims *, const {2} *);
void esp_nn_set_{0}_scratch_buf_{1}(void *);
void esp_nn_{0}_s8_{1}(const dims *, const int8_t *, const dims *, const int8_t *, const int32_t *,
    const dims *, int8_t *, const {2} *, const quant *);
"""


def sources(folder: Path) -> ForeignSources:
    """The library's files from a folder with it, and the stand-in for its assembly."""
    names = [f"src/{n}" for n in _C]
    names += [str(p.relative_to(folder)) for p in (folder / "include").glob("*.h")]
    names += ["src/common/common_functions.h", "src/softmax/softmax_common.h"]
    files = {n: (folder / n).read_text(encoding="utf-8") for n in names}
    assembly = Path(__file__).parent / "kernels" / "esp32s3_assembly.c"
    files["src/esp32s3_assembly.c"] = assembly.read_text(encoding="utf-8")
    return ForeignSources("ESP-NN for the ESP32-S3", files, ("include", "src/common"), FLAGS)


class Dispatch:
    """The library's convolutions and those of the stand-ins, called with guarded memory."""

    def __init__(self, folder: Path) -> None:
        own = {n: t for n, t in host.standin_files("esp_nn").items() if n != "esp_nn.h"}
        own |= {"standin_esp_nn.h": host.standin_files("esp_nn")["esp_nn.h"]}
        own = {n: t.replace('"esp_nn.h"', '"standin_esp_nn.h"') for n, t in own.items()}
        library = build(own, flags=("-O1",), foreign=sources(folder))
        self._ffi = cffi.FFI()
        kinds = (("conv", "conv_params"), ("depthwise_conv", "dw_params"))
        functions = [
            _CONVOLUTION.format(kind, chip, params)
            for kind, params in kinds
            for chip in ("esp32s3", "standin")
        ]
        self._ffi.cdef(_CDEF + "".join(functions))
        self._lib = self._ffi.dlopen(str(library))

    def faults(self) -> int:
        """Unmet requirements of the assembly since the last call."""
        return int(self._lib.esp32s3_faults())

    def scratch_bytes(self, params: QConvParams, form: ConvForm) -> tuple[int, int]:
        """What the getter of the library and that of its stand-in ask for."""
        kind, numbers, shapes = self._arguments(params, form)
        s3, standin = (
            getattr(self._lib, f"esp_nn_get_{kind}_scratch_size_{chip}")(*shapes, numbers)
            for chip in ("esp32s3", "standin")
        )
        return int(s3), int(standin)

    def run(
        self, params: QConvParams, form: ConvForm, x: Array, constants: dict[str, Array], size: int
    ) -> tuple[Array, bool]:
        """(output, whether nothing around the working memory of `size` bytes was written)."""
        kind, numbers, (x_size, filter_size, y_size) = self._arguments(params, form)
        memory = _aligned(size + 2 * _CANARY_BYTES)
        memory[:] = _CANARY
        inputs = _aligned(x.size)
        inputs[:] = x.reshape(-1).view(np.uint8)
        y = _aligned(form.y.elems)
        pointers = {n: self._pointer(a) for n, a in constants.items()}
        numbers_of_channels = self._ffi.new("quant *", [pointers["shift"], pointers["multiplier"]])
        scratch = self._ffi.cast("void *", memory.ctypes.data + _CANARY_BYTES)
        getattr(self._lib, f"esp_nn_set_{kind}_scratch_buf_esp32s3")(scratch)
        getattr(self._lib, f"esp_nn_{kind}_s8_esp32s3")(
            x_size, self._bytes(inputs), filter_size, self._bytes(constants["weights"]),
            pointers["bias"], y_size, self._bytes(y), numbers, numbers_of_channels,
        )  # fmt: skip
        before, after = memory[:_CANARY_BYTES], memory[_CANARY_BYTES + size :]
        return y.view(np.int8), bool((before == _CANARY).all() and (after == _CANARY).all())

    def _arguments(self, params: QConvParams, form: ConvForm) -> tuple[str, Any, tuple[Any, ...]]:
        depthwise = is_depthwise(params.geometry)
        window = [form.stride.width, form.stride.height, form.padding.width, form.padding.height,
                  1, 1, form.act_min, form.act_max]  # fmt: skip
        multiplier = [form.channel_multiplier] if depthwise else []
        values = [form.input_offset, form.output_offset, *multiplier, *window]
        numbers = self._ffi.new("dw_params *" if depthwise else "conv_params *", values)
        shapes = tuple(
            self._ffi.new("dims *", [s.width, s.height, s.channels, 1])
            for s in (form.x, form.filters, form.y)
        )
        return "depthwise_conv" if depthwise else "conv", numbers, shapes

    def _pointer(self, array: Array) -> Any:
        return self._ffi.cast("int32_t *", array.ctypes.data)

    def _bytes(self, array: Array) -> Any:
        return self._ffi.cast("int8_t *", array.ctypes.data)


def _aligned(count: int) -> Array:
    """Bytes at a multiple of 16."""
    memory = np.zeros(count + 16, np.uint8)
    start = -memory.ctypes.data % 16
    return memory[start : start + count]


@cache
def dispatch(folder: Path) -> Dispatch:
    """The one built library of a folder."""
    return Dispatch(folder)
