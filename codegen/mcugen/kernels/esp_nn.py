"""ESP-NN: Espressif's kernels for the ESP32 family.

A firmware project gets the library from the component registry, with the assembly of its chip. On
a computer it is the plain C of the same version, which is listed here.

Sizes are estimates for the ESP32-S3: three bytes an instruction of its assembly, and what a RISC-V
core needs for its C with -O2; the vectors of variable length that it has on the stack are taken at
their largest, see `mcugen.ops.esp_nn`.
"""

from __future__ import annotations

from mcugen.kernels.library import KernelLibrary, VendorFile, VendorFunction

_HEADERS = {
    "include/esp_nn.h": VendorFile("e1f1ab2796a6dbb8"),
    "include/esp_nn_ansi_c.h": VendorFile("c3e122a3a6b1c377"),
    "include/esp_nn_ansi_headers.h": VendorFile("904e62b07158795a"),
    "include/esp_nn_defs.h": VendorFile("756d8e6fb6d539ec"),
    "src/common/common_functions.h": VendorFile("9d5889d598a30d93"),
    "src/softmax/softmax_common.h": VendorFile("254d6aceccfbed67"),
}

_ADD = "src/basic_math/esp_nn_add_ansi.c"
_MUL = "src/basic_math/esp_nn_mul_ansi.c"
_MEAN = "src/common/esp_nn_mean_ansi.c"
_CONV = "src/convolution/esp_nn_conv_ansi.c"
_DEPTHWISE = "src/convolution/esp_nn_depthwise_conv_ansi.c"
_FULLY_CONNECTED = "src/fully_connected/esp_nn_fully_connected_ansi.c"
_AVERAGE_POOL = "src/pooling/esp_nn_avg_pool_ansi.c"
_MAX_POOL = "src/pooling/esp_nn_max_pool_ansi.c"
_SOFTMAX = "src/softmax/esp_nn_softmax_ansi.c"

_SOURCES = {
    _ADD: VendorFile("617386cf38d48c06", 1174),
    _MUL: VendorFile("82cc60b2f8df7686", 560),
    _MEAN: VendorFile("760ea6711cd604ac", 898),
    _CONV: VendorFile("33a7b0e5874e3cc2", 8200),
    _DEPTHWISE: VendorFile("1cd02e0f2b0268e1", 15200),
    _FULLY_CONNECTED: VendorFile("9561383bc7b6b2f7", 1942),
    _AVERAGE_POOL: VendorFile("03846aa016f89867", 1834),
    _MAX_POOL: VendorFile("4ca5c42d1fd6e33c", 787),
    _SOFTMAX: VendorFile("d71a8616f6c3265c", 2992),
}

_FUNCTIONS = {
    "esp_nn_conv_s8": VendorFunction((_CONV,), 480),
    "esp_nn_get_conv_scratch_size": VendorFunction((_CONV,), 32),
    "esp_nn_set_conv_scratch_buf": VendorFunction((_CONV,), 32),
    "esp_nn_depthwise_conv_s8": VendorFunction((_DEPTHWISE,), 4640),
    "esp_nn_get_depthwise_conv_scratch_size": VendorFunction((_DEPTHWISE,), 32),
    "esp_nn_set_depthwise_conv_scratch_buf": VendorFunction((_DEPTHWISE,), 32),
    "esp_nn_fully_connected_s8": VendorFunction((_FULLY_CONNECTED,), 4256),
    "esp_nn_fully_connected_per_ch_s8": VendorFunction((_FULLY_CONNECTED,), 4256),
    "esp_nn_avg_pool_s8": VendorFunction((_AVERAGE_POOL,), 4384),
    "esp_nn_max_pool_s8": VendorFunction((_MAX_POOL,), 160),
    "esp_nn_add_elementwise_s8": VendorFunction((_ADD,), 112),
    "esp_nn_mul_elementwise_s8": VendorFunction((_MUL,), 160),
    "esp_nn_softmax_s8": VendorFunction((_SOFTMAX,), 224),
    "esp_nn_get_softmax_scratch_size": VendorFunction((_SOFTMAX,), 32),
    "esp_nn_set_softmax_scratch_buf": VendorFunction((_SOFTMAX,), 32),
    "esp_nn_mean_nhwc_s8": VendorFunction((_MEAN,), 2144),
}
"""What generated C calls, with the plain C that has it."""

ESP_NN = KernelLibrary(
    name="esp_nn",
    title="ESP-NN",
    version="1.2.3",
    repository="https://github.com/espressif/esp-nn.git",
    commit="d45b843ca5f873ca9d0706ab0e7f14eafd132e98",
    licence="Apache-2.0",
    copyright="Copyright 2020-2026 Espressif Systems (Shanghai) CO LTD",
    header="mcugen_esp_nn.h",
    includes=("include", "src/common"),
    headers=tuple(_HEADERS),
    functions=_FUNCTIONS,
    files={**_HEADERS, **_SOURCES},
    component="espressif/esp-nn",
    reentrant=False,
    caveat=(
        "its assembly for the ESP32-S3 runs on no computer and is unverified on hardware; the "
        "self-test compares its results with the reference on the board"
    ),
)
