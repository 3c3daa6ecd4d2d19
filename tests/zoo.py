"""The real models of the zoo tests: what is expected of each.

The files lie in the folder that MCUGEN_MODELS names; they are not part of the project.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BOARDS = ("pico_w", "esp32s3", "esp32s3_n16r8", "host")
_INTERNAL_RAM_256K = ("esp32s3", "esp32s3_n16r8", "host")
_EXTERNAL_RAM = ("esp32s3_n16r8", "host")


@dataclass(frozen=True)
class ZooModel:
    """One model.

    Attributes:
        name: file name without `.onnx`; samples and recorded outputs are in NAME.npz.
        dims: symbolic dimensions to set.
        output_step: one LSB of a float output behind a DequantizeLinear: its scale.
        fits: the boards it fits with portable kernels.
        classes: whether argmax over the last axis of the first output means something.
    """

    name: str
    dims: dict[str, int] = field(default_factory=dict)
    output_step: float = 0.0
    fits: tuple[str, ...] = BOARDS
    classes: bool = True


ZOO = (
    ZooModel("vww_mobilenetv1_f32", fits=_INTERNAL_RAM_256K),
    ZooModel("vww_mobilenetv1_qdq"),
    ZooModel("kws_dscnn_f32"),
    ZooModel("kws_dscnn_qdq"),
    ZooModel("kws_dscnn_qoperator"),
    ZooModel("ic_resnet8_f32", fits=_INTERNAL_RAM_256K),
    ZooModel("ic_resnet8_qdq"),
    ZooModel("ad_autoencoder_f32", classes=False),
    ZooModel("ad_autoencoder_qdq", classes=False),
    ZooModel("person_detect_qdq"),
    ZooModel("micro_kws_m_fp32"),
    ZooModel("micro_kws_m_qdq", output_step=1 / 256),
    ZooModel("mnist_cntk"),
    ZooModel("mnist_cntk_qoperator"),
    ZooModel("mnist14_atmega"),
    ZooModel("mnist_mlp_bn"),
    ZooModel("digits_cnn_dynamo"),
    ZooModel("hand_keypoint_mlp_f32"),
    ZooModel("hello_world_f32", classes=False),
    ZooModel("hello_world_qdq", classes=False),
    ZooModel("gesture_tcn"),
    ZooModel("gesture_tcn_qdq"),
    ZooModel("espdl_tutorial_streaming"),
    ZooModel("sww_streaming_f32"),
    ZooModel("mww_hey_mycroft_qdq", classes=False),
    ZooModel("ultralight_slim_320", fits=_EXTERNAL_RAM, classes=False),
    ZooModel("yunet_n_320", fits=_EXTERNAL_RAM, classes=False),
    ZooModel(
        "yunet_s_dyn",
        {"batch": 1, "height": 160, "width": 160},
        fits=_EXTERNAL_RAM,
        classes=False,
    ),
)
