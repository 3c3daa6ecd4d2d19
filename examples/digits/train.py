"""Trains the digits example and writes its four data files beside this script.

    pip install torch==2.13.0 scikit-learn onnx onnxruntime
    python examples/digits/train.py

One thread and fixed seeds: the same versions of the packages give the same files. The graph is
written by hand from the trained weights, so that no exporter's version changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 0
EPOCHS = 120
BATCH = 64
RECORDED_SAMPLES = 8
"""Samples whose ONNX Runtime outputs are recorded: `in{k}/image`, `out{k}/logits`."""

Array = npt.NDArray[Any]


def load_split() -> tuple[Array, Array, Array, Array]:
    """Train and test images float32 [N, 1, 8, 8] in 0..1, labels int64 [N]; a fifth tests."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    train_x, test_x, train_y, test_y = train_test_split(
        images, labels, test_size=0.2, random_state=SEED, stratify=labels
    )
    return train_x, test_x, train_y, test_y


def build_network() -> nn.Sequential:
    """Convolution, depthwise-separable convolution, average pool, dense: 8,050 parameters."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1, stride=2, groups=16),
        nn.Conv2d(16, 32, 1),
        nn.ReLU(),
        nn.Conv2d(32, 24, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(24, 10),
    )


def shifted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The images, moved together by at most one pixel each way, zeros coming in."""
    dy, dx = torch.randint(-1, 2, (2,), generator=generator).tolist()
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    return padded[:, :, 1 + dy : 9 + dy, 1 + dx : 9 + dx]


def train(network: nn.Sequential, images: Array, labels: Array) -> None:
    """Adam with a one-cycle learning rate."""
    generator = torch.Generator().manual_seed(SEED)
    x, y = torch.from_numpy(images), torch.from_numpy(labels)
    steps = -(-len(x) // BATCH)
    optimizer = torch.optim.Adam(network.parameters(), weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-2, total_steps=EPOCHS * steps)
    for _ in range(EPOCHS):
        for index in torch.randperm(len(x), generator=generator).split(BATCH):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(shifted(x[index], generator)), y[index])
            loss.backward()
            optimizer.step()
            schedule.step()


def conv(name: str, data: str, layer: nn.Conv2d) -> onnx.NodeProto:
    """The Conv node of a layer; its weights are `NAME.weight` and `NAME.bias`."""
    pad = int(layer.padding[0])
    return helper.make_node(
        "Conv",
        [data, f"{name}.weight", f"{name}.bias"],
        [f"{name}_out"],
        name=f"/{name}/Conv",
        kernel_shape=list(layer.kernel_size),
        strides=list(layer.stride),
        pads=[pad] * 4,
        group=layer.groups,
    )


def relu(name: str) -> onnx.NodeProto:
    """The Relu node after the convolution `name`."""
    return helper.make_node("Relu", [f"{name}_out"], [f"{name}_relu"], name=f"/{name}/Relu")


def to_onnx(network: nn.Sequential) -> onnx.ModelProto:
    """The trained network as an ONNX graph, opset 17, batch 1."""
    layers = {"conv1": 0, "depthwise": 2, "pointwise": 3, "conv2": 5, "dense": 9}
    weights = []
    for name, index in layers.items():
        for parameter, value in network[index].named_parameters():
            array = value.detach().numpy()
            weights.append(numpy_helper.from_array(array, f"{name}.{parameter}"))
    nodes = [
        conv("conv1", "image", network[0]),
        relu("conv1"),
        conv("depthwise", "conv1_relu", network[2]),
        conv("pointwise", "depthwise_out", network[3]),
        relu("pointwise"),
        conv("conv2", "pointwise_relu", network[5]),
        relu("conv2"),
        helper.make_node("GlobalAveragePool", ["conv2_relu"], ["pooled"], name="/pool"),
        helper.make_node("Flatten", ["pooled"], ["features"], name="/flatten", axis=1),
        helper.make_node(
            "Gemm",
            ["features", "dense.weight", "dense.bias"],
            ["logits"],
            name="/dense/Gemm",
            transB=1,
        ),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, "digits", [image], [logits], weights)
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], producer_name="mcugen examples")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


class TrainImages(CalibrationDataReader):  # type: ignore[misc]
    """The training images, one by one, for the ranges of the activations."""

    def __init__(self, images: Array) -> None:
        self._feeds: Iterator[dict[str, Array]] = iter({"image": i[None]} for i in images)

    def get_next(self) -> dict[str, Array] | None:
        """The next image, None after the last."""
        return next(self._feeds, None)


def logits_of(path: Path, images: Array) -> Array:
    """ONNX Runtime's outputs, float32 [N, 10], graph optimisations off: each node as written."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"image": i[None]})[0] for i in images])


def recorded(images: Array, logits: Array) -> dict[str, Array]:
    """The first samples in the form that `mcugen check --inputs` reads."""
    samples = {}
    for k in range(RECORDED_SAMPLES):
        samples[f"in{k}/image"] = images[k : k + 1]
        samples[f"out{k}/logits"] = logits[k : k + 1]
    return samples


def main() -> None:
    """Train, export, quantize, record."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train_x, test_x, train_y, test_y = load_split()
    network = build_network()
    train(network, train_x, train_y)

    float_path, int8_path = HERE / "digits.onnx", HERE / "digits_int8.onnx"
    onnx.save(to_onnx(network.eval()), float_path)
    quantize_static(
        float_path,
        int8_path,
        TrainImages(train_x),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )
    float_logits, int8_logits = logits_of(float_path, test_x), logits_of(int8_path, test_x)
    np.savez_compressed(
        HERE / "digits.npz",
        images=test_x,
        labels=test_y,
        **recorded(test_x, float_logits),
    )
    np.savez_compressed(HERE / "digits_int8.npz", **recorded(test_x, int8_logits))
    for name, logits in (("float32", float_logits), ("int8", int8_logits)):
        accuracy = float(np.mean(logits.argmax(1) == test_y))
        print(f"{name}: accuracy {accuracy:.4f} on {len(test_y)} test images")


if __name__ == "__main__":
    main()
