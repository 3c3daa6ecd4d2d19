"""Working memory by core: the rules give what the library's own functions gave when recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldencase import GoldenCase, golden_cases
from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import Dims, Tile
from mcugen.ops.spec import Core

BUILDS = {
    Core.PLAIN: "cmsis_x86",
    Core.DSP: "cmsis_m4_dsp_qemu",
    Core.MVE: "cmsis_m55_mve_qemu",
}


def images(p: dict[str, int], channels: str = "ic", outputs: str = "oc") -> tuple[Dims, Dims]:
    return (
        Dims(p["n"], p["ih"], p["iw"], p[channels]),
        Dims(p["n"], p["oh"], p["ow"], p[outputs]),
    )


def wrapper(case: GoldenCase, core: Core) -> int:
    """What arm_convolve_wrapper_s8 asks for, whichever function it takes."""
    p = case.params
    x, y = images(p)
    filters = Dims(p["oc"], p["kh"], p["kw"], p["kc"])
    padding, stride = Tile(p["pad_top"], p["pad_left"]), Tile(p["stride_h"], p["stride_w"])
    dilation = Tile(p["dil_h"], p["dil_w"])
    if buffers.is_pointwise(x, filters, padding, dilation):
        return 0
    if buffers.is_one_by_n(x, filters, stride, dilation):
        return buffers.one_by_n(x, filters, y, stride.w, padding.w, core)
    return buffers.convolve(x, filters, core)


def depthwise(case: GoldenCase, core: Core) -> int:
    p = case.params
    x, y = images(p)
    filters = Dims(1, p["kh"], p["kw"], p["oc"])
    padding, dilation = Tile(p["pad_top"], p["pad_left"]), Tile(p["dil_h"], p["dil_w"])
    return buffers.depthwise(x, filters, y, padding, dilation, core)


def fully_connected(case: GoldenCase, core: Core) -> int:
    return buffers.fully_connected(case.params["out_features"], core)


def average_pool(case: GoldenCase, core: Core) -> int:
    return buffers.average_pool(case.params["c"], core)


RULES = {
    "conv": (wrapper, 80),
    "conv_big": (wrapper, 3),
    "conv_grouped": (wrapper, 24),
    "conv_dilated": (wrapper, 30),
    "dw": (depthwise, 70),
    "dw_dilated": (depthwise, 20),
    "fc": (fully_connected, 40),
    "fc_wzp": (fully_connected, 15),
    "fc_perch": (fully_connected, 30),
    "avgpool": (average_pool, 60),
}


@pytest.mark.parametrize("core", BUILDS, ids=lambda c: c.value)
@pytest.mark.parametrize("file", RULES)
def test_as_recorded(golden_dir: Path, file: str, core: Core) -> None:
    rule, count = RULES[file]
    # A depthwise convolution of one channel is an ordinary one here, so no rule of its own.
    cases = [c for c in golden_cases(golden_dir, file) if file[:2] != "dw" or c.params["ic"] > 1]
    found = {case.id: rule(case, core) for case in cases}
    assert found == {case.id: case.scratch_bytes[BUILDS[core]] for case in cases}
    assert len(list(golden_cases(golden_dir, file))) == count


def test_a_transposed_convolution() -> None:
    """Not recorded: computed by hand from the library's rule."""
    x, filters, y = Dims(1, 3, 4, 8), Dims(5, 2, 3, 8), Dims(1, 6, 9, 5)
    wide = ((4 - 1) * 2 + 3) * 5
    stride = Tile(2, 2)
    assert buffers.transpose_convolve(x, filters, y, stride, Core.PLAIN) == 4 * wide * 2
    assert buffers.transpose_convolve(x, filters, y, stride, Core.MVE) == 4 * wide * 2
    assert buffers.reversed_filters(x, filters, stride) == 0
    deep, filters = Dims(1, 3, 4, 17), Dims(5, 2, 3, 17)
    assert buffers.transpose_convolve(deep, filters, y, stride, Core.PLAIN) == 4 * 104
    assert buffers.transpose_convolve(deep, filters, y, stride, Core.MVE) == 4 * 112
    assert buffers.reversed_filters(deep, filters, stride) == 5 * 2 * 3 * 17
    assert buffers.reversed_filters(deep, filters, Tile(3, 2)) == 0


@pytest.mark.parametrize(
    ("core", "conv", "depthwise"),
    [(Core.PLAIN, 4 * 45, 2 * 45), (Core.DSP, 4 * 45, 2 * 45), (Core.MVE, 4 * 48, None)],
)
def test_weights_of_4_bits(core: Core, conv: int, depthwise: int | None) -> None:
    """As the library's kernels use it: seen by guards behind it, in emulated Cortex-M4 and M55."""
    x, filters = Dims(1, 6, 6, 5), Dims(5, 3, 3, 5)
    assert buffers.convolve_s4(x, filters, core) == conv
    if depthwise is not None:
        assert buffers.depthwise_s4(x, filters, x, Tile(1, 1)) == depthwise
        assert buffers.depthwise_s4(x, filters, x, Tile(1, 2)) == 0
        assert buffers.depthwise_s4(x, filters, Dims(1, 6, 6, 10), Tile(1, 1)) == 0
        assert buffers.depthwise_s4(Dims(2, 6, 6, 5), filters, x, Tile(1, 1)) == 0
