"""ONNX Runtime as an end-to-end oracle, where it is installed."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Sequence
from typing import Any

from mcugen.samples import Sample


def available() -> bool:
    """Whether onnxruntime can be imported."""
    return importlib.util.find_spec("onnxruntime") is not None


def with_outputs(path: str, outputs: Sequence[str], samples: Sequence[Sample]) -> list[Sample]:
    """The samples with ONNX Runtime's outputs where none are recorded.

    Runs on one CPU thread with graph optimisations off: the literal meaning of a QDQ graph.
    A model that ONNX Runtime refuses leaves the samples as they are.
    """
    session = _session(path)
    if session is None:
        return list(samples)
    known = {o.name for o in session.get_outputs()}
    names = [o for o in outputs if o in known]
    return [_run(session, names, sample) for sample in samples]


def _session(path: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception:  # its exceptions have no common base; any refusal is a "no"
        return None


def _run(session: Any, names: Sequence[str], sample: Sample) -> Sample:
    if sample.outputs or not names:
        return sample
    wanted = {i.name for i in session.get_inputs()}
    try:
        values = session.run(list(names), {k: v for k, v in sample.inputs.items() if k in wanted})
    except Exception:  # as above
        return sample
    return dataclasses.replace(sample, outputs=dict(zip(names, values, strict=True)))
