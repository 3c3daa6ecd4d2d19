"""Random models in every interface: each is exact, and all compute the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from mcugen import check
from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.distance import sample_feeds
from mcugen.frontend import Imported
from mcugen.host import HostModel, same_bits
from mcugen.ir import Array, Graph
from mcugen.ops.spec import Arithmetic
from mcugen.samples import Sample, random_samples
from mcugen.toolchain import STRICT_WARNINGS
from random_models import graphs
from together import build_together

MEMORY = tuple(product(("arena", "caller"), ("static", "caller")))


def compiled(graph: Graph, io: str, layout: str) -> list[Compiled]:
    """The model with its buffers and its arena in all places."""
    imported = Imported(graph, (), (), "random", 13, "test", "00")
    return [
        compile_model(
            imported,
            CompileOptions(
                name=f"io_{buffers}_arena_{arena}", arithmetic=Arithmetic.ONNX,
                io=io, io_layout=layout, io_buffers=buffers, arena=arena,
            ),
        )
        for buffers, arena in MEMORY
    ]  # fmt: skip


def outputs(one: Compiled, host: HostModel, sample: Sample) -> list[Array]:
    """Of one inference, which must leave its inputs alone."""
    feeds = sample_feeds(one, sample)
    given = {name: array.copy() for name, array in feeds.items()}
    found = host.run(feeds)
    assert all(np.array_equal(given[n], feeds[n], equal_nan=True) for n in feeds)
    return [found[name] for name in one.graph.outputs]


def assert_described(one: Compiled) -> None:
    """What the header says of each input and output is how it relates to the ONNX tensor."""
    for names, tensors in (
        (one.imported.graph.inputs, one.model.inputs),
        (one.imported.graph.outputs, one.model.outputs),
    ):
        for name, t in zip(names, tensors, strict=True):
            shape = one.imported.graph[name].shape
            turned = shape if t.axes is None else tuple(shape[a] for a in t.axes)
            assert t.shape == turned, f"{name}: {t}"


@pytest.mark.parametrize("layout", ["onnx", "nhwc"])
@pytest.mark.parametrize("io", ["float", "quantized"])
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(graph=graphs())
def test_every_interface_is_exact(io: str, layout: str, graph: Graph) -> None:
    models = compiled(graph, io, layout)
    hosts = build_together(models, "interfaces", flags=("-O1", *STRICT_WARNINGS))
    samples = random_samples(graph, 2)
    first = outputs(models[0], hosts[0], samples[0])
    for one, host in zip(models, hosts, strict=True):
        assert_described(one)
        result = check.check(one, samples, host=host, use_ort=False)
        assert result.bit_exact, f"{result.first_mismatch}\n{one.graph.to_text()}"
        assert result.semantics_ok, f"{result.beyond}\n{one.graph.to_text()}"
        got = outputs(one, host, samples[0])
        assert all(same_bits(a, b).all() for a, b in zip(got, first, strict=True))
