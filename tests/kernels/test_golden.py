"""The recorded cases of convolutions, fully connected layers and pools, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldencase import calls_of, check_calls
from kernel_calls import average, conv, depthwise, fully_connected, maximum, transposed


@pytest.mark.parametrize("file", ["conv", "conv_big", "conv_grouped", "conv_dilated"])
def test_convolution(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, conv), file)


@pytest.mark.parametrize("file", ["dw", "dw_dilated"])
def test_depthwise_convolution(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, depthwise), file)


@pytest.mark.parametrize("file", ["fc", "fc_perch", "fc_wzp"])
def test_fully_connected(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, fully_connected), file)


def test_average_pool(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "avgpool", average), "avgpool")


def test_max_pool(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "maxpool", maximum), "maxpool")


def test_transposed_convolution(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "tconv", transposed), "tconv")
