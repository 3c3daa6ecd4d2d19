"""What the portable integer kernels may cost at most, compiled as the firmware is.

The floor is CMSIS-NN called directly on every layer, by the same compiler: its cycles on the
Cortex-M0+, 1.3 times its instructions on the Cortex-M4F, whose vector instructions ours do not use.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from emulate.programs import require_packages
from emulate.qemu_machines import cannot_run, require
from mcugen import api
from mcugen.emulate.bench import bench

pytestmark = [pytest.mark.qemu, pytest.mark.zoo]

GCC = "arm-none-eabi-gcc"
VERSION = "12.2"
MODELS = ("vww_mobilenetv1_qdq", "kws_dscnn_qdq", "ic_resnet8_qdq", "ad_autoencoder_qdq")
CYCLES = dict(zip(MODELS, (117.0e6, 39.0e6, 140.0e6, 2.36e6), strict=True))
INSTRUCTIONS = dict(zip(MODELS, (24.1e6, 7.7e6, 31.2e6, 0.58e6), strict=True))
SHARE_WITHOUT_VECTORS = 1.3
CASES = [
    *(("pico_w", name, limit) for name, limit in CYCLES.items()),
    *(("nucleo_f446", n, SHARE_WITHOUT_VECTORS * limit) for n, limit in INSTRUCTIONS.items()),
]


@pytest.mark.parametrize(("board", "name", "limit"), CASES, ids=[f"{b}-{n}" for b, n, _ in CASES])
def test_portable_kernels_stay_below_the_floor(
    board: str, name: str, limit: float, models_dir: Path
) -> None:
    require_packages()
    require(GCC)
    made = api.compile(models_dir / f"{name}.onnx", board=board, kernels="portable")
    roomy = dataclasses.replace(
        made.target.emulator.memory, flash_bytes=16 << 20, ram_bytes=4 << 20
    )
    sample = made.samples(models_dir / f"{name}.npz")[0]
    result = bench(made.compiled, made.target, sample, cc=GCC, memory=roomy)
    if VERSION not in result.compiler:
        cannot_run(f"the floor is that of {GCC} {VERSION}, this is {result.compiler}")
    assert result.outputs_equal, result.first_mismatch
    cost = result.cycles or result.instructions
    print(f"{name} on {result.cpu}: {cost:,}, at most {limit:,.0f}")
    assert cost <= limit
