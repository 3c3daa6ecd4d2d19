"""Many models compiled as one C file: one run of the compiler for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mcugen import host, reference
from mcugen.compiler import Compiled
from mcugen.ir import Array
from mcugen.toolchain import Compiler


def one_file(models: Sequence[Mapping[str, str]], name: str) -> dict[str, str]:
    """`name`.c, which includes the C of every model, and what it includes.

    Args:
        models: the files of each; their prefixes must differ.
        name: of the C file.
    """
    files = {n.replace(".c", ".inc"): t for texts in models for n, t in texts.items()}
    sources = [n for n in sorted(files) if n.endswith(".inc")]
    files[f"{name}.c"] = "".join(f'#include "{n}"\n' for n in sources)
    return files


def build_together(
    models: Sequence[Compiled],
    name: str,
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] = ("-O1",),
) -> list[host.HostModel]:
    """The host model of each."""
    prefixes = [m.model.prefix for m in models]
    assert len(set(prefixes)) == len(prefixes), "two models have one name"
    files = one_file([m.files for m in models], name)
    library: Path = host.build_library(files, prefixes, compiler=compiler, flags=flags)
    return [
        host.HostModel(library, prefix, m.graph) for prefix, m in zip(prefixes, models, strict=True)
    ]


def expected_by_reference(compiled: Compiled, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """Graph output -> its value by the NumPy reference, constants included."""
    values = reference.run(compiled.program, feeds)
    graph = compiled.graph
    found = {}
    for name in graph.outputs:
        data = graph[name].data
        found[name] = values[name] if data is None else np.asarray(data)
    return found
