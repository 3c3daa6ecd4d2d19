"""Real models: imported, run by the meaning of their operators, compared with ONNX Runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from mcugen import semantics
from mcugen.errors import UnsupportedModelError
from mcugen.frontend import Imported, load
from mcugen.ir import Array

pytestmark = pytest.mark.zoo

SUPPORTED = (
    "ad_autoencoder_f32", "ad_autoencoder_qdq", "digits_cnn_dynamo", "espdl_tutorial_streaming",
    "gesture_tcn", "gesture_tcn_qdq", "gpt2s_kvrows128", "gpt2s_kvrows64_wq8",
    "hand_keypoint_mlp_f32", "hello_world_f32", "hello_world_qdq", "ic_resnet8_f32",
    "ic_resnet8_qdq", "kws_dscnn_f32", "kws_dscnn_qdq", "kws_dscnn_qoperator",
    "micro_kws_m_fp32", "micro_kws_m_qdq", "mnist14_atmega", "mnist_cntk",
    "mnist_cntk_qoperator", "mnist_mlp_bn", "mww_hey_mycroft_qdq", "person_detect_qdq",
    "stories260k_kv256", "stories260k_kvrows128", "stories260k_kvrows128_wq8",
    "stories260k_nocache_t32", "sww_streaming_f32", "ultralight_slim_320", "vww_mobilenetv1_f32",
    "vww_mobilenetv1_qdq", "yunet_n_320", "yunet_s_dyn",
)  # fmt: skip

REFUSED = {
    "dtln_1_lstm": {"LSTM": 2},
    "gesture_bilstm": {"LSTM": 1},
    "gesture_gru2_dynbatch": {"GRU": 2},
    "silero_vad_16k_sequence": {"LSTM": 1},
    "skl_gbr_diabetes": {"ai.onnx.ml::TreeEnsembleRegressor": 1},
    "skl_rf_keypoint": {"ai.onnx.ml::TreeEnsembleClassifier": 1},
    "skl_wine_logreg_zipmap": {
        "ai.onnx.ml::Scaler": 1,
        "ai.onnx.ml::LinearClassifier": 1,
        "ai.onnx.ml::Normalizer": 1,
        "ai.onnx.ml::ZipMap": 1,
    },
}
"""Model -> operators that nothing generates, with the number of nodes."""

DIMS = {"yunet_s_dyn": {"height": 160, "width": 160}}

LSB = {
    "person_detect_qdq": 2,  # ONNX Runtime's own two ways of running it are that far apart
    "ic_resnet8_qdq": 8,  # one tie in AveragePool, summed here without rounding, grows by the end
}
"""How far integers may be off where it is more than 1."""

ABSOLUTE = {
    "micro_kws_m_qdq": 2 / 255,  # ONNX Runtime's own two ways are that far apart
    "yunet_n_320": 2e-7,  # ONNX Runtime's Sigmoid is that far from exact
    "yunet_s_dyn": 2e-7,
}
"""What floats may be off beside the usual bound."""


def imported(folder: Path, name: str) -> Imported:
    path = folder / f"{name}.onnx"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in MCUGEN_MODELS")
    return load(path, dims=DIMS.get(name))


def samples(folder: Path, name: str) -> list[tuple[dict[str, Array], dict[str, Array]]]:
    """(inputs, ONNX Runtime's outputs) of each recorded sample."""
    archive: Mapping[str, Array] = np.load(folder / f"{name}.npz")
    count = len({key.split("/")[0] for key in archive if key.startswith("in")})
    return [(_values(archive, f"in{k}/"), _values(archive, f"out{k}/")) for k in range(count)]


def _values(archive: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    return {k.removeprefix(prefix): archive[k] for k in archive if k.startswith(prefix)}


@pytest.mark.parametrize("name", SUPPORTED)
def test_a_supported_model_means_what_onnx_runtime_says(models_dir: Path, name: str) -> None:
    graph = imported(models_dir, name).graph
    for inputs, outputs in samples(models_dir, name):
        results = semantics.run(graph, inputs, keep=())
        assert tuple(outputs) == tuple(results) or set(outputs) == set(results)
        for output, wanted in outputs.items():
            got = results[output]
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), output
            distance = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
            if wanted.dtype.kind == "f":
                bound = 1e-4 * np.abs(wanted) + 1e-5 * np.max(np.abs(wanted), initial=0)
                assert np.all(distance <= bound + ABSOLUTE.get(name, 0)), output
            else:
                assert np.max(distance, initial=0) <= LSB.get(name, 1), output


@pytest.mark.parametrize("name", REFUSED)
def test_an_unsupported_model_is_refused_with_all_its_nodes(models_dir: Path, name: str) -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        imported(models_dir, name)
    assert Counter(u.op for u in caught.value.unsupported) == REFUSED[name]
    assert all(u.name and u.reason and u.hint for u in caught.value.unsupported)
