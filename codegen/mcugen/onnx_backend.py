"""The ONNX backend interface: models run by the C that mcugen generates, built on this machine.

`prepare`, `run_model` and the others are functions of this module too, as tools that take a
backend by its module's name expect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from mcugen import api, frontend
from mcugen.errors import McugenError, UnsupportedModelError, UsageError
from mcugen.ir import Array

_DEVICE = "CPU"


class HostRep(BackendRep):
    """A model whose generated C is built and loaded."""

    def __init__(self, model: api.Model) -> None:
        self.model = model

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """One inference.

        Args:
            inputs: arrays in the model's order, arrays by name, or the one array.
            **kwargs: none is known.

        Returns:
            The outputs in the model's order, reachable by their names too.

        Raises:
            UsageError: inputs of another number, name, shape or dtype than the model's.
        """
        if kwargs:
            raise UsageError(f"run has no option '{next(iter(kwargs))}'")
        graph = self.model.compiled.imported.graph
        ordered = _by_name("the model", graph.inputs, inputs).values()
        found = self.model(*ordered).values()
        made: tuple[Any, ...] = namedtupledict("Outputs", graph.outputs)(*found)
        return made


class HostBackend(Backend):
    """The backend: supports the device CPU."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether `device` is the CPU of this machine."""
        return device == _DEVICE or device.startswith(f"{_DEVICE}:")

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = _DEVICE, **kwargs: Any) -> bool:
        """Whether every node of the model can be generated."""
        if not cls.supports_device(device):
            return False
        try:
            frontend.load_model(model, dims=kwargs.get("dims"))
        except McugenError:
            return False
        return True

    @classmethod
    def prepare(
        cls,
        model: onnx.ModelProto,
        device: str = _DEVICE,
        *,
        dims: Mapping[str, int] | None = None,
        arithmetic: str = "onnx",
        **kwargs: Any,
    ) -> HostRep:
        """Generate the model's C and build it.

        Args:
            model: all its shapes must be static, or `dims` make them so.
            device: CPU.
            dims: symbolic dimension -> value.
            arithmetic: "onnx" computes as ONNX Runtime does, "tflite" as the boards do by default.
            **kwargs: further options of `mcugen.compile`.

        Raises:
            UsageError: another device, an unknown choice.
            UnsupportedModelError: nodes that cannot be generated, all of them.
            ModelError: the model is not valid.
        """
        if not cls.supports_device(device):
            raise UsageError(f"device must be {_DEVICE}, got '{device}'")
        imported = frontend.load_model(model, dims=dims)
        return HostRep(api.compile(imported, arithmetic=arithmetic, **kwargs))

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Any, device: str = _DEVICE, **kwargs: Any
    ) -> tuple[Any, ...]:
        """`prepare`, then one `run`."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = _DEVICE,
        outputs_info: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run one node as a model of its own.

        What must be known when code is generated (a shape, axes, weights) is taken from `inputs`:
        a node that is refused with all of them given at run time has all but the first constant.

        Args:
            node: its present inputs are as many as `inputs`.
            inputs: arrays in the node's order, arrays by name, or the one array.
            device: CPU.
            outputs_info: not needed, the generated code knows its outputs.
            **kwargs: `opset_version`, the newest by default; the rest is for `prepare`.
        """
        del outputs_info
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        names = tuple(dict.fromkeys(n for n in node.input if n))
        feeds = _by_name(node.op_type, names, inputs)
        try:
            return cls.run_model(_single(node, feeds, {}, opset), feeds, device, **kwargs)
        except UnsupportedModelError:
            first = dict(list(feeds.items())[:1])
            fixed = {n: a for n, a in feeds.items() if n not in first}
            return cls.run_model(_single(node, first, fixed, opset), first, device, **kwargs)


def _by_name(what: str, names: Sequence[str], inputs: Any) -> dict[str, Array]:
    """Input name -> array, in the order of `names`; from a sequence, a mapping or one array."""
    if isinstance(inputs, Mapping):
        given = {str(n): np.asarray(a) for n, a in inputs.items()}
    else:
        arrays = inputs if isinstance(inputs, list | tuple) else (inputs,)
        if len(arrays) != len(names):
            raise UsageError(f"{what} has {len(names)} inputs, got {len(arrays)}")
        given = dict(zip(names, map(np.asarray, arrays), strict=True))
    if set(given) != set(names):
        raise UsageError(f"inputs of {what} are {', '.join(names)}; got {', '.join(given)}")
    return {n: given[n] for n in names}


def _single(
    node: onnx.NodeProto, live: Mapping[str, Array], fixed: Mapping[str, Array], opset: int
) -> onnx.ModelProto:
    """A model of one node with `live` inputs and `fixed` initializers."""
    inputs = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in live.items()
    ]
    outputs = [onnx.ValueInfoProto(name=o) for o in node.output if o]
    weights = [numpy_helper.from_array(a, n) for n, a in fixed.items()]
    graph = helper.make_graph([node], node.op_type, inputs, outputs, weights)
    imports = [helper.make_opsetid("", opset)]
    if node.domain:
        imports.append(helper.make_opsetid(node.domain, 1))
    return helper.make_model(graph, opset_imports=imports)


prepare = HostBackend.prepare
run_model = HostBackend.run_model
run_node = HostBackend.run_node
supports_device = HostBackend.supports_device
is_compatible = HostBackend.is_compatible
