"""The rendered C as a shared library on this machine, called through cffi's dlopen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from mcugen import resources
from mcugen.c_types import MCUGEN_DTYPES
from mcugen.errors import InternalError
from mcugen.ir import Array, Graph, QuantParams, Tensor
from mcugen.kernels import PORTABLE
from mcugen.program import Step
from mcugen.toolchain import Compiler, ForeignSources, build

_CDEF = """
typedef struct { const char *name; int dtype; uint32_t rank; const uint32_t *shape; uint32_t elems;
    uint32_t bytes; float scale; int32_t zero_point; } mcugen_tensor;
typedef void (*mcugen_trace_fn)(void *, uint32_t, uint32_t, const void *, uint32_t);
typedef struct { const char *name; const char *op; uint32_t output_count;
    int32_t scratch_bytes; int32_t (*scratch_needed)(void); } mcugen_step;
typedef struct { const char *name; const char *hash; const char *generator; uint32_t arena_bytes;
    uint32_t arena_align; uint32_t input_count; const mcugen_tensor *inputs; uint32_t output_count;
    const mcugen_tensor *outputs; uint32_t step_count; const mcugen_step *steps;
    void (*set_trace)(mcugen_trace_fn, void *);
    int (*run)(void *, const void *const *, void *const *); } mcugen_model;
"""


@cache
def _types() -> cffi.FFI:
    types = cffi.FFI()
    types.cdef(_CDEF)
    # cffi completes a struct once: it must outlive the libraries whose interfaces include it.
    types.typeof("mcugen_model")
    return types


@cache
def standin_files(library: str) -> Mapping[str, str]:
    """Headers and C that stand in for a vendor's kernel library."""
    own = resources.standins(library)
    paths = [*sorted(own.iterdir()), *sorted(own.parent.glob("*.h"))]
    return {p.name: p.read_text() for p in paths}


@cache
def runtime_headers() -> Mapping[str, str]:
    """The runtime headers that generated code includes."""
    return {p.name: p.read_text() for p in sorted(resources.firmware().glob("*.h"))}


@cache
def runtime_sources() -> Mapping[str, str]:
    """The C that goes with the runtime headers: self-test and application."""
    return {p.name: p.read_text() for p in sorted(resources.firmware().glob("*.c"))}


def build_library(
    files: Mapping[str, str],
    prefixes: Sequence[str],
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] = ("-O2",),
    libraries: Sequence[str] = (),
    vendor: ForeignSources | None = None,
) -> Path:
    """A shared library of one or more rendered models, with traces compiled in.

    Args:
        files: the models' C.
        prefixes: of the models.
        compiler: defaults to what is found.
        flags: for compiling.
        libraries: kernel libraries that the C calls; stand-ins take the place of vendors'.
        vendor: the vendor's own sources instead of stand-ins.

    Raises:
        ForeignBuildError: the vendor's sources do not compile.
    """
    traces = tuple(f"-D{p.upper()}_TRACE" for p in prefixes)
    own = {**runtime_headers(), **files}
    if vendor is None:
        for library in set(libraries) - {PORTABLE}:
            own |= standin_files(library)
    return build(own, compiler=compiler, flags=(*flags, *traces), foreign=vendor)


class HostModel:
    """One model of a shared library, callable on NumPy arrays."""

    def __init__(self, library: Path, prefix: str, graph: Graph | None = None) -> None:
        """Opens it.

        Args:
            library: that `build_library` made.
            prefix: of the model.
            graph: the lowered graph; else inputs and outputs are as the C describes them.
        """
        symbol = f"{prefix}_model"
        self._ffi = cffi.FFI()
        self._ffi.include(_types())
        self._ffi.cdef(f"extern mcugen_model {symbol};")
        self._lib = self._ffi.dlopen(str(library))
        self._model = self._ffi.addressof(self._lib, symbol)
        model = self._model
        if graph is None:
            self.inputs = self._described(model.inputs, model.input_count)
            self.outputs = self._described(model.outputs, model.output_count)
        else:
            self.inputs = tuple(graph[n] for n in graph.inputs)
            self.outputs = tuple(graph[n] for n in graph.outputs)

    def _described(self, tensors: Any, count: int) -> tuple[Tensor, ...]:
        """Inputs or outputs as the C describes them, by their ONNX names."""
        found = []
        for i in range(count):
            t = tensors[i]
            quant = None
            if t.scale > 0:
                quant = QuantParams(
                    np.asarray(t.scale, np.float32), np.asarray(t.zero_point, np.int32)
                )
            shape = tuple(int(t.shape[k]) for k in range(t.rank))
            name = self._ffi.string(t.name).decode()
            found.append(Tensor(name, shape, MCUGEN_DTYPES[t.dtype], quant))
        return tuple(found)

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """One inference; graph output name -> array.

        Raises:
            InternalError: the generated code reported an error.
        """
        outputs = [np.zeros(t.shape, t.dtype.np) for t in self.outputs]
        self._call([inputs[t.name] for t in self.inputs], outputs)
        return {t.name: a for t, a in zip(self.outputs, outputs, strict=True)}

    def require_planned_scratch(self) -> None:
        """Compare what kernel libraries ask for with what was planned, as the self-test does.

        Raises:
            InternalError: a library asks for more; the node is named.
        """
        for i in range(self._model.step_count):
            step = self._model.steps[i]
            needed = step.scratch_needed() if step.scratch_needed else 0
            if needed > step.scratch_bytes:
                name = self._ffi.string(step.name).decode()
                raise InternalError(
                    f"the kernel library asks for {needed} bytes of working memory for '{name}', "
                    f"{step.scratch_bytes} are planned"
                )

    def trace(
        self, inputs: Mapping[str, Array], steps: Sequence[Step], graph: Graph
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """One inference with the bytes of every step's outputs, copied right after the step.

        Args:
            inputs: graph input name -> array.
            steps: the calls, in the plan's order.
            graph: where the outputs' shapes are.

        Returns:
            (outputs by graph output name, values by tensor name).
        """
        seen: dict[str, Array] = {}

        def hook(context: Any, step: int, output: int, data: Any, count: int) -> None:
            del context
            tensor = graph[steps[step].outputs[output]]
            raw = bytes(self._ffi.buffer(data, count)) if count else b""
            seen[tensor.name] = np.frombuffer(raw, tensor.dtype.np).reshape(tensor.shape)

        callback = self._ffi.callback("mcugen_trace_fn", hook)
        self._model.set_trace(callback, self._ffi.NULL)
        try:
            return self.run(inputs), seen
        finally:
            self._model.set_trace(self._ffi.cast("mcugen_trace_fn", 0), self._ffi.NULL)

    def _call(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        keep = []
        for array, tensor in zip(inputs, self.inputs, strict=True):
            ready = np.ascontiguousarray(array, tensor.dtype.np)
            if array.shape != tensor.shape or array.dtype != tensor.dtype.np:
                raise InternalError(f"input {tensor.name}: {array.dtype}{list(array.shape)}")
            keep.append(ready)
        ins = self._ffi.new("const void *[]", [self._pointer(a) for a in keep] or 1)
        outs = self._ffi.new("void *[]", [self._pointer(a) for a in outputs] or 1)
        arena = self._arena()
        code = self._model.run(arena, ins, outs)
        if code != 0:
            raise InternalError(f"the generated code returned {code}")

    def _pointer(self, array: Array) -> Any:
        return self._ffi.cast("void *", array.ctypes.data)

    def _arena(self) -> Any:
        """An aligned arena for models that take the caller's (others ignore it)."""
        align = int(self._model.arena_align)
        self._storage = np.full(int(self._model.arena_bytes) + align, 0xA5, np.uint8)
        address = self._storage.ctypes.data
        return self._ffi.cast("void *", address + (-address) % align)


def same_bits(a: Array, b: Array) -> Array:
    """Element-wise: equal in every bit, or both NaN."""
    size = a.dtype.itemsize
    bits = np.dtype(f"u{size}")
    equal = a.view(bits) == b.view(bits) if size in (1, 2, 4, 8) else a == b
    if a.dtype.kind == "f":
        equal = equal | (np.isnan(a) & np.isnan(b))
    return np.asarray(equal)
