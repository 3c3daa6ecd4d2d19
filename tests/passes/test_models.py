"""What the passes leave of real models: operators, Transposes, floats."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mcugen import frontend
from mcugen.passes.pipeline import PassResult, run_passes

OPERATORS = {
    "vww_mobilenetv1_f32": {"Conv": 27, "AveragePool": 1, "FullyConnected": 1, "Softmax": 1},
    "vww_mobilenetv1_qdq": {"QConv": 27, "QAveragePool": 1, "QFullyConnected": 1, "QSoftmax": 1},
    "kws_dscnn_f32": {"Conv": 9, "AveragePool": 1, "FullyConnected": 1, "Softmax": 1},
    "kws_dscnn_qdq": {"QConv": 9, "QAveragePool": 1, "QFullyConnected": 1, "QSoftmax": 1},
    "kws_dscnn_qoperator": {
        "QuantizeLinear": 1, "QConv": 9, "QAveragePool": 1, "QFullyConnected": 1, "QSoftmax": 1,
        "DequantizeLinear": 1,
    },
    "ic_resnet8_f32": {"Conv": 9, "Add": 3, "AveragePool": 1, "FullyConnected": 1, "Softmax": 1},
    "ic_resnet8_qdq": {
        "QConv": 9, "QAdd": 3, "QAveragePool": 1, "QFullyConnected": 1, "QSoftmax": 1,
    },
    "ad_autoencoder_f32": {"FullyConnected": 10},
    "ad_autoencoder_qdq": {"QFullyConnected": 10},
    "person_detect_qdq": {"QConv": 28, "QAveragePool": 1, "QSoftmax": 1},
    "mnist_cntk": {"Conv": 2, "MaxPool": 2, "FullyConnected": 1},
    "mnist_cntk_qoperator": {
        "QuantizeLinear": 1, "QConv": 2, "QAdd": 2, "MaxPool": 2, "QFullyConnected": 1,
        "DequantizeLinear": 1,
    },
    "mnist14_atmega": {"Conv": 2, "FullyConnected": 1},
    "mnist_mlp_bn": {"FullyConnected": 3},
    "micro_kws_m_fp32": {
        "Conv": 3, "MaxPool": 1, "AveragePool": 2, "FullyConnected": 3, "Softmax": 1,
    },
    "micro_kws_m_qdq": {
        "QuantizeLinear": 1, "QConv": 3, "MaxPool": 1, "QAveragePool": 2, "QFullyConnected": 3,
        "QAdd": 3, "QSoftmax": 1, "DequantizeLinear": 1,
    },
    "sww_streaming_f32": {"Conv": 8, "FullyConnected": 1, "Softmax": 1},
    "hello_world_qdq": {"QFullyConnected": 3},
    "hand_keypoint_mlp_f32": {"FullyConnected": 3, "Softmax": 1},
    "ultralight_slim_320": {"Transpose": 1, "Conv": 42, "Concat": 2, "Softmax": 1},
    "yunet_n_320": {
        "Transpose": 1, "Conv": 59, "MaxPool": 4, "Resize": 2, "Add": 2, "Sigmoid": 6,
    },
    "gesture_tcn": {"Mul": 1, "Conv": 3, "PRelu": 3, "Slice": 1, "FullyConnected": 1},
    "mww_hey_mycroft_qdq": {
        "Transpose": 6, "Concat": 6, "Slice": 6, "QConv": 9, "QFullyConnected": 1, "Lookup": 1,
    },
}  # fmt: skip
"""Model -> its operators after all passes, Reshapes (views) apart. The only Transposes are those
of inputs and states that the model has channels first."""


def _passed(models_dir: Path, name: str) -> PassResult:
    return run_passes(frontend.load(models_dir / f"{name}.onnx").graph)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operators(models_dir: Path, name: str) -> None:
    graph = _passed(models_dir, name).graph
    assert Counter(n.op for n in graph.nodes if n.op != "Reshape") == OPERATORS[name]


@pytest.mark.parametrize("name", sorted(n for n in OPERATORS if n.endswith(("_qdq", "_qoperator"))))
def test_integers_stay_integers(models_dir: Path, name: str) -> None:
    """No float tensor but the model's own inputs and outputs, no weight in float."""
    result = _passed(models_dir, name)
    graph = result.graph
    floats = {t.name for t in graph.tensors.values() if t.dtype.is_float and t.rank}
    assert floats <= {*graph.inputs, *graph.outputs}
    assert dict(result.float_nodes) == {}
    assert not any(t.dtype.value == "uint8" and t.name not in graph.outputs + graph.inputs
                   for t in graph.tensors.values() if t.quant)  # fmt: skip


def test_float_weights_of_a_weight_only_model_stay_integers(models_dir: Path) -> None:
    graph = _passed(models_dir, "gpt2s_kvrows64_wq8").graph
    constants = [t for t in graph.tensors.values() if t.is_constant and t.rank == 2]
    assert sum(t.nbytes for t in constants if t.dtype.value == "int8") > 500_000
    assert sum(t.nbytes for t in constants if t.dtype.is_float) < 50_000


def test_half_of_the_work_of_the_visual_wake_word_model_is_dead(models_dir: Path) -> None:
    graph = _passed(models_dir, "vww_mobilenetv1_qdq").graph
    weights = [graph[n.inputs[1]] for n in graph.nodes if n.op == "QConv"]
    assert sum(w.size for w in weights) < 40_000
    assert all(w.shape[0] % 4 == 0 for w in weights)
