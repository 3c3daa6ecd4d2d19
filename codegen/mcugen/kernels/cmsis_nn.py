"""CMSIS-NN: Arm's kernels for Cortex-M. 43 commits after release 7.0.0, which has known faults.

Code sizes are those of arm-none-eabi-gcc 12.2 with -O2 for Cortex-M0+, the smallest core; stacks
the largest that it needs for Cortex-M0+, M4 and M55 and clang 22 for Cortex-M0+, M4, M7 and M33;
of the functions for weights of 4 bits, the largest of that gcc alone.
"""

from __future__ import annotations

from mcugen.kernels.library import KernelLibrary, VendorFile, VendorFunction

_HEADERS = {
    "Include/Internal/arm_nn_compiler.h": VendorFile("8db85caf46ef78f9"),
    "Include/Internal/arm_nn_config.h": VendorFile("1582d73c7bf77201"),
    "Include/arm_nn_math_types.h": VendorFile("ee982d8671f21d7a"),
    "Include/arm_nn_tables.h": VendorFile("792f68d6891d29aa"),
    "Include/arm_nn_types.h": VendorFile("7c0b3227883ec76e"),
    "Include/arm_nnfunctions.h": VendorFile("9a7ad47bf87321e2"),
    "Include/arm_nnsupportfunctions.h": VendorFile("df27c0de22617139"),
}

_SOURCES = {
    "ActivationFunctions": {
        "arm_nn_activation_s16": VendorFile("bb05ae4b03498f8a", 260),
    },
    "BasicMathFunctions": {
        "arm_elementwise_add_s16": VendorFile("d1e5a1acf8d9edd2", 1256),
        "arm_elementwise_add_s8": VendorFile("faafc813665bd801", 424),
        "arm_elementwise_mul_s16": VendorFile("663e97f3d42694b1", 628),
        "arm_elementwise_mul_s8": VendorFile("3b440dece22a2812", 212),
        "arm_maximum_s8": VendorFile("83eac0812e0c15ed", 1272),
        "arm_minimum_s8": VendorFile("1ab7c2959e889849", 1272),
    },
    "ConcatenationFunctions": {
        "arm_concatenation_s8_z": VendorFile("0bb8413545210b49", 76),
    },
    "ConvolutionFunctions": {
        "arm_convolve_1_x_n_s4": VendorFile("0f5196e1d35b00a2", 112),
        "arm_convolve_1_x_n_s8": VendorFile("395cae86dd0ea581", 88),
        "arm_convolve_1x1_s4": VendorFile("0f0fb6c65b797a08", 252),
        "arm_convolve_1x1_s4_fast": VendorFile("fcca7f5f9f8c6fac", 100),
        "arm_convolve_1x1_s8": VendorFile("7cebffc034528a18", 252),
        "arm_convolve_1x1_s8_fast": VendorFile("b10a5cfe42a9418b", 104),
        "arm_convolve_even_s4": VendorFile("c514ba20d7134025", 8),
        "arm_convolve_get_buffer_sizes_s4": VendorFile("7cc6f2a681ab501e", 492),
        "arm_convolve_get_buffer_sizes_s8": VendorFile("58f6a1190374df02", 592),
        "arm_convolve_get_buffer_sizes_s16": VendorFile("ad3291cd593d482d", 76),
        "arm_convolve_s16": VendorFile("addfbb5521d89502", 960),
        "arm_convolve_s4": VendorFile("acf4ce4ad73bf846", 952),
        "arm_convolve_s8": VendorFile("83588ad9035d3075", 1536),
        "arm_convolve_wrapper_s16": VendorFile("479154fbbd5b5f26", 40),
        "arm_convolve_wrapper_s4": VendorFile("89e81d0a384b28fe", 236),
        "arm_convolve_wrapper_s8": VendorFile("f73cba59babf26c0", 240),
        "arm_depthwise_conv_3x3_s8": VendorFile("e2898239de5ea735", 1616),
        "arm_depthwise_conv_fast_s16": VendorFile("c8f56a27c7240406", 116),
        "arm_depthwise_conv_get_buffer_sizes_s16": VendorFile("302a2ae95c96f68a", 116),
        "arm_depthwise_conv_get_buffer_sizes_s4": VendorFile("084ca2ebebc624a2", 152),
        "arm_depthwise_conv_get_buffer_sizes_s8": VendorFile("6190f5fece88f28e", 268),
        "arm_depthwise_conv_s16": VendorFile("20f772cad3e6e2e4", 1040),
        "arm_depthwise_conv_s4": VendorFile("ed387bbf42e1a7c9", 3656),
        "arm_depthwise_conv_s4_opt": VendorFile("bd3850d63e9c8423", 3092),
        "arm_depthwise_conv_s8": VendorFile("e99dd3e7cca60ce7", 2224),
        "arm_depthwise_conv_s8_opt": VendorFile("e3af3fbedf91bf42", 100),
        "arm_depthwise_conv_wrapper_s16": VendorFile("6bc775bd79713362", 108),
        "arm_depthwise_conv_wrapper_s4": VendorFile("532c4e0138c8e9bb", 100),
        "arm_depthwise_conv_wrapper_s8": VendorFile("08ef09d46b9baa30", 160),
        "arm_nn_mat_mult_kernel_row_offset_s8_s16": VendorFile("7a400e129d5752b0", 1044),
        "arm_nn_mat_mult_kernel_s16": VendorFile("8cb0b481a1fd15e2", 2468),
        "arm_nn_mat_mult_kernel_s4_s16": VendorFile("ca9d2029e7cc978d", 2188),
        "arm_nn_mat_mult_kernel_s8_s16": VendorFile("d0f7bd96b3a2af1a", 1048),
        "arm_transpose_conv_get_buffer_sizes_s8": VendorFile("6cfa6fd46f002077", 248),
        "arm_transpose_conv_s8": VendorFile("60e55b475be904c8", 1128),
        "arm_transpose_conv_wrapper_s8": VendorFile("699a8b01fb4ea11d", 420),
    },
    "FullyConnectedFunctions": {
        "arm_batch_matmul_s16": VendorFile("e6ee295a23bb4d06", 424),
        "arm_batch_matmul_s8": VendorFile("94239e15bc5e1c0e", 380),
        "arm_fully_connected_get_buffer_sizes_s16": VendorFile("964267acdd39581a", 12),
        "arm_fully_connected_get_buffer_sizes_s8": VendorFile("34b2abff0b7621c0", 16),
        "arm_fully_connected_per_channel_s8": VendorFile("f8184fa41f9ab230", 144),
        "arm_fully_connected_s16": VendorFile("9ed240629d866d54", 156),
        "arm_fully_connected_s4": VendorFile("bd06a9ea40fdd030", 132),
        "arm_fully_connected_s8": VendorFile("00ed201f46b2e2fa", 144),
        "arm_vector_sum_s8": VendorFile("66b3a069cdc7b488", 124),
    },
    "NNSupportFunctions": {
        "arm_nntables": VendorFile("b123126adf9b1757", 512),
        "arm_nn_depthwise_conv_nt_t_s16": VendorFile("2f8903adb000c1af", 4),
        "arm_nn_depthwise_conv_nt_t_s4": VendorFile("906d2e1990d8f7ce", 8),
        "arm_nn_depthwise_conv_nt_t_s8": VendorFile("2dc1e99155511ad4", 8),
        "arm_nn_mat_mul_core_1x_s4": VendorFile("058cfcb08b1e60bf", 8),
        "arm_nn_mat_mult_nt_interleaved_t_even_s4": VendorFile("d3486d369ef040d6", 3312),
        "arm_nn_mat_mult_nt_t_s16": VendorFile("02279c7f3f706764", 8),
        "arm_nn_mat_mult_nt_t_s4": VendorFile("7d63c80fbee55104", 3952),
        "arm_nn_mat_mult_nt_t_s8": VendorFile("8b93ca4947f2c084", 1604),
        "arm_nn_transpose_conv_row_s8_s32": VendorFile("41476545369e59b0", 1308),
        "arm_nn_vec_mat_mult_t_per_ch_s8": VendorFile("81e96993762a2fc5", 1776),
        "arm_nn_vec_mat_mult_t_s16": VendorFile("db0a8d02f3e990db", 268),
        "arm_nn_vec_mat_mult_t_s16_s16": VendorFile("3bf5979e58f374ba", 268),
        "arm_nn_vec_mat_mult_t_s4": VendorFile("523652817f2041f6", 1436),
        "arm_nn_vec_mat_mult_t_s8": VendorFile("1d79bd6d15cfede6", 2152),
        "arm_q7_to_q15_with_offset": VendorFile("ab84370d2548e318", 28),
        "arm_s8_to_s16_unordered_with_offset": VendorFile("f18c4e6abab0d634", 0),
    },
    "PadFunctions": {
        "arm_pad_s8": VendorFile("5f71ae2663a2d8fd", 400),
    },
    "PoolingFunctions": {
        "arm_avgpool_get_buffer_sizes_s16": VendorFile("9dae19d6bbc13adc", 12),
        "arm_avgpool_get_buffer_sizes_s8": VendorFile("ba854c4f30f55286", 12),
        "arm_avgpool_s16": VendorFile("fdd7bb40162af834", 628),
        "arm_avgpool_s8": VendorFile("b7414e467b172c4e", 608),
        "arm_max_pool_s16": VendorFile("788c051ce26dc270", 932),
        "arm_max_pool_s8": VendorFile("a5ae8b6f7f17aa28", 1012),
    },
    "SoftmaxFunctions": {
        "arm_nn_softmax_common_s8": VendorFile("a3ac91d08ce50733", 4492),
        "arm_softmax_s8": VendorFile("c303ec823b6a1402", 28),
        "arm_softmax_s8_s16": VendorFile("c575849e9bb3e18b", 28),
    },
    "TransposeFunctions": {
        "arm_transpose_s8": VendorFile("1660123aa5587835", 664),
    },
}
_FILES = {
    **_HEADERS,
    **{f"Source/{d}/{n}.c": f for d, names in _SOURCES.items() for n, f in names.items()},
}
_PLACES = {path.rpartition("/")[2].removesuffix(".c"): path for path in _FILES}

_MATRIX = ("arm_nn_mat_mult_nt_t_s8",)
_CONVOLVE = (
    *_MATRIX,
    "arm_convolve_s8",
    "arm_nn_mat_mult_kernel_row_offset_s8_s16",
    "arm_nn_mat_mult_kernel_s8_s16",
    "arm_q7_to_q15_with_offset",
    "arm_s8_to_s16_unordered_with_offset",
)
_CONVOLVE_WRAPPER = (
    *_CONVOLVE,
    "arm_convolve_1_x_n_s8",
    "arm_convolve_1x1_s8",
    "arm_convolve_1x1_s8_fast",
    "arm_convolve_wrapper_s8",
)
_CONVOLVE_SIZES_S4 = ("arm_convolve_get_buffer_sizes_s4",)
_CONVOLVE_S4 = (
    "arm_convolve_s4",
    "arm_nn_mat_mult_kernel_s4_s16",
    "arm_nn_mat_mult_nt_t_s4",
    "arm_q7_to_q15_with_offset",
)
_CONVOLVE_WRAPPER_S4 = (
    *_CONVOLVE_S4,
    *_CONVOLVE_SIZES_S4,
    "arm_convolve_1_x_n_s4",
    "arm_convolve_1x1_s4",
    "arm_convolve_1x1_s4_fast",
    "arm_convolve_even_s4",
    "arm_convolve_wrapper_s4",
    "arm_nn_mat_mul_core_1x_s4",
    "arm_nn_mat_mult_nt_interleaved_t_even_s4",
)
_CONVOLVE_SIZES = ("arm_convolve_get_buffer_sizes_s8",)
_DEPTHWISE_SIZES = (*_CONVOLVE_SIZES, "arm_depthwise_conv_get_buffer_sizes_s8")
_TRANSPOSE_SIZES = (*_CONVOLVE_SIZES, "arm_transpose_conv_get_buffer_sizes_s8")
_VECTOR = ("arm_nn_vec_mat_mult_t_s8",)


def _function(stack_bytes: int, *names: str) -> VendorFunction:
    """A function with the names of its source files."""
    return VendorFunction(tuple(_PLACES[n] for n in names), stack_bytes)


_FUNCTIONS = {
    "arm_convolve_wrapper_s8": _function(792, *_CONVOLVE_WRAPPER),
    "arm_convolve_wrapper_s8_get_buffer_size": _function(56, *_CONVOLVE_SIZES),
    "arm_convolve_s8": _function(544, *_CONVOLVE),
    "arm_convolve_s8_get_buffer_size": _function(48, *_CONVOLVE_SIZES),
    "arm_convolve_wrapper_s4": _function(760, *_CONVOLVE_WRAPPER_S4),
    "arm_convolve_wrapper_s4_get_buffer_size": _function(56, *_CONVOLVE_SIZES_S4),
    "arm_convolve_s4": _function(648, *_CONVOLVE_S4),
    "arm_convolve_s4_get_buffer_size": _function(56, *_CONVOLVE_SIZES_S4),
    "arm_depthwise_conv_wrapper_s4": _function(
        608,
        "arm_depthwise_conv_s4",
        "arm_depthwise_conv_s4_opt",
        "arm_depthwise_conv_wrapper_s4",
        "arm_nn_depthwise_conv_nt_t_s4",
        "arm_q7_to_q15_with_offset",
    ),
    "arm_depthwise_conv_wrapper_s4_get_buffer_size": _function(
        48, *_DEPTHWISE_SIZES, "arm_depthwise_conv_get_buffer_sizes_s4"
    ),
    "arm_depthwise_conv_wrapper_s8": _function(
        976,
        *_CONVOLVE_WRAPPER,  # with MVE, one input channel is a convolution
        *_DEPTHWISE_SIZES,
        "arm_depthwise_conv_3x3_s8",
        "arm_depthwise_conv_s8",
        "arm_depthwise_conv_s8_opt",
        "arm_depthwise_conv_wrapper_s8",
        "arm_nn_depthwise_conv_nt_t_s8",
        "arm_transpose_s8",
    ),
    "arm_depthwise_conv_wrapper_s8_get_buffer_size": _function(168, *_DEPTHWISE_SIZES),
    "arm_transpose_conv_wrapper_s8": _function(
        760,
        *_CONVOLVE,
        "arm_nn_transpose_conv_row_s8_s32",
        "arm_transpose_conv_s8",
        "arm_transpose_conv_wrapper_s8",
    ),
    "arm_transpose_conv_s8_get_buffer_size": _function(112, *_TRANSPOSE_SIZES),
    "arm_transpose_conv_s8_get_reverse_conv_buffer_size": _function(96, *_TRANSPOSE_SIZES),
    "arm_fully_connected_s8": _function(344, *_VECTOR, "arm_fully_connected_s8"),
    "arm_fully_connected_per_channel_s8": _function(
        344, "arm_fully_connected_per_channel_s8", "arm_nn_vec_mat_mult_t_per_ch_s8"
    ),
    "arm_fully_connected_s8_get_buffer_size": _function(
        16, "arm_fully_connected_get_buffer_sizes_s8"
    ),
    "arm_convolve_wrapper_s16": _function(
        552,
        "arm_convolve_s16",
        "arm_convolve_wrapper_s16",
        "arm_nn_mat_mult_kernel_s16",
        "arm_nn_mat_mult_nt_t_s16",
    ),
    "arm_convolve_wrapper_s16_get_buffer_size": _function(16, "arm_convolve_get_buffer_sizes_s16"),
    "arm_depthwise_conv_wrapper_s16": _function(
        568,
        "arm_depthwise_conv_fast_s16",
        "arm_depthwise_conv_get_buffer_sizes_s16",
        "arm_depthwise_conv_s16",
        "arm_depthwise_conv_wrapper_s16",
        "arm_nn_depthwise_conv_nt_t_s16",
    ),
    "arm_depthwise_conv_wrapper_s16_get_buffer_size": _function(
        24, "arm_depthwise_conv_get_buffer_sizes_s16"
    ),
    "arm_fully_connected_s16": _function(
        248, "arm_fully_connected_s16", "arm_nn_vec_mat_mult_t_s16"
    ),
    "arm_fully_connected_s16_get_buffer_size": _function(
        16, "arm_fully_connected_get_buffer_sizes_s16"
    ),
    "arm_fully_connected_s4": _function(424, "arm_fully_connected_s4", "arm_nn_vec_mat_mult_t_s4"),
    "arm_vector_sum_s8": _function(168, "arm_vector_sum_s8"),
    "arm_batch_matmul_s16": _function(272, "arm_batch_matmul_s16", "arm_nn_vec_mat_mult_t_s16_s16"),
    "arm_batch_matmul_s8": _function(392, *_VECTOR, "arm_batch_matmul_s8", "arm_vector_sum_s8"),
    "arm_avgpool_s8": _function(360, "arm_avgpool_get_buffer_sizes_s8", "arm_avgpool_s8"),
    "arm_avgpool_s8_get_buffer_size": _function(16, "arm_avgpool_get_buffer_sizes_s8"),
    "arm_avgpool_s16": _function(340, "arm_avgpool_s16"),
    "arm_avgpool_s16_get_buffer_size": _function(16, "arm_avgpool_get_buffer_sizes_s16"),
    "arm_max_pool_s16": _function(232, "arm_max_pool_s16"),
    "arm_max_pool_s8": _function(232, "arm_max_pool_s8"),
    "arm_elementwise_add_s16": _function(184, "arm_elementwise_add_s16"),
    "arm_elementwise_mul_s16": _function(112, "arm_elementwise_mul_s16"),
    "arm_elementwise_add_s8": _function(192, "arm_elementwise_add_s8"),
    "arm_elementwise_mul_s8": _function(112, "arm_elementwise_mul_s8"),
    "arm_minimum_s8": _function(220, "arm_minimum_s8"),
    "arm_maximum_s8": _function(220, "arm_maximum_s8"),
    "arm_nn_activation_s16": _function(64, "arm_nn_activation_s16", "arm_nntables"),
    "arm_softmax_s8": _function(512, "arm_nn_softmax_common_s8", "arm_softmax_s8"),
    "arm_softmax_s8_s16": _function(512, "arm_nn_softmax_common_s8", "arm_softmax_s8_s16"),
    "arm_pad_s8": _function(64, "arm_pad_s8"),
    "arm_concatenation_s8_z": _function(32, "arm_concatenation_s8_z"),
    "arm_transpose_s8": _function(300, "arm_transpose_s8"),
}
"""What generated C calls, with the files that it is in on whatever Cortex-M."""

CMSIS_NN = KernelLibrary(
    name="cmsis_nn",
    title="CMSIS-NN",
    version="7.0.0+43",
    repository="https://github.com/ARM-software/CMSIS-NN.git",
    commit="99f736a63036613032f9b70de36b493bcd7802d4",
    licence="Apache-2.0",
    copyright="Copyright Arm Limited and/or its affiliates",
    header="mcugen_cmsis_nn.h",
    includes=("Include",),
    headers=tuple(_HEADERS),
    functions=_FUNCTIONS,
    files=_FILES,
)
