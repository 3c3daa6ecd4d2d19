"""`mcugen bench`: a model cross-compiled for a board, and one inference of it in an emulator."""

from __future__ import annotations

from pathlib import Path

from mcugen.compiler import Compiled
from mcugen.emulate.cores import CORES, Core, QemuCore
from mcugen.emulate.cross import Image
from mcugen.emulate.emulation import find_emulation, require_tools
from mcugen.emulate.inference import Inference
from mcugen.emulate.limits import layer_limit
from mcugen.emulate.machine import FaultError
from mcugen.emulate.result import BenchResult
from mcugen.errors import DoesNotFitError, InternalError, UsageError
from mcugen.footprint import measure_footprint
from mcugen.host import runtime_headers
from mcugen.kernels import PORTABLE
from mcugen.samples import Sample
from mcugen.targets import Memory, Target
from mcugen.toolchain import ForeignSources


def bench(
    compiled: Compiled,
    target: Target,
    sample: Sample,
    *,
    cc: str | None = None,
    vendor: ForeignSources | None = None,
    memory: Memory | None = None,
    limit: int | None = None,
) -> BenchResult:
    """Run one inference in an emulator.

    Args:
        compiled: the model, with the default interface: everything in a static arena.
        target: the board.
        sample: inputs in terms of the imported ONNX graph.
        cc: a GCC for the board's core instead of zig.
        vendor: sources of the kernel library that the model calls.
        memory: other memories than the board's.
        limit: instructions of one layer after which it counts as endless; by its work otherwise.

    Raises:
        MissingExtraError: ziglang or unicorn is not installed.
        UsageError: the board has no emulator, or one that is not installed, `cc` cannot compile
            for it, or the model calls a vendor's kernels and `vendor` is not given.
        ForeignBuildError: the vendor's sources do not compile.
        DoesNotFitError: the model is larger than the emulated memories.
        InternalError: the code faults or does not end (the layer is named), or uses more stack
            than reports state.
    """
    core = require_runnable(compiled, target, vendor)
    memory = memory or target.emulator.memory
    emulation = find_emulation(core, target, cc)
    _require_memory(compiled, target, memory, None)
    prefix = compiled.model.prefix
    image = emulation.build(
        {**runtime_headers(), **compiled.files},
        memory,
        [f"{prefix}_{name}" for name in ("invoke", "input", "output")],
        [f"-D{compiled.model.macro}_YIELD()={emulation.mark}()"],
        vendor,
    )
    bound = measure_footprint(compiled, target).stack_bytes
    _require_memory(compiled, target, memory, image, bound or 0)
    try:
        with emulation.load(image.elf, memory, limit or layer_limit(compiled.program)) as machine:
            inference = Inference(compiled, machine, sample)
            layers = inference.run()
            stack_bytes = machine.stack_bytes
    except FaultError as fault:
        raise InternalError(f"emulating {target.title}: {fault}") from fault
    if bound is not None and stack_bytes > bound:
        raise InternalError(f"the inference used {stack_bytes} bytes of stack, {bound} are stated")
    return BenchResult(
        model=Path(compiled.imported.path).name,
        board=target.name,
        arithmetic=compiled.options.arithmetic.value,
        kernels=compiled.model.libraries,
        cpu=core.title,
        compiler=emulation.toolchain.title,
        clock_hz=target.clock_hz,
        layers=layers,
        stack_bytes=stack_bytes,
        stack_bound_bytes=bound,
        text_bytes=image.text_bytes,
        rodata_bytes=image.rodata_bytes,
        ram_bytes=image.static_bytes,
        tensors_compared=inference.compared,
        first_mismatch=inference.first_mismatch,
        caveat=core.caveat if isinstance(core, QemuCore) else "",
    )


def require_runnable(
    compiled: Compiled, target: Target, vendor: ForeignSources | None
) -> Core | QemuCore:
    """The board's core, where all that a bench needs is there.

    Raises:
        MissingExtraError, UsageError: as of `bench`; the compiler is not looked at.
    """
    core = core_of(target)
    require_tools(core)
    _require_interface(compiled, vendor)
    return core


def core_of(target: Target) -> Core | QemuCore:
    """The emulated core of a board.

    Raises:
        UsageError: there is none; the reason is the board file's.
    """
    emulator = target.emulator
    if not emulator.cpu:
        raise UsageError(
            f"there is no emulator for {target.title}: {emulator.reason or 'none is known'}",
            hint="`mcugen boards` names the boards that have one",
        )
    if emulator.cpu not in CORES:
        raise UsageError(
            f"'cpu' in emulator of {target.name} must be one of {', '.join(CORES)}, "
            f"got '{emulator.cpu}'"
        )
    return CORES[emulator.cpu]


def _require_interface(compiled: Compiled, vendor: ForeignSources | None) -> None:
    if compiled.model.io_caller or compiled.model.arena_caller:
        raise UsageError("bench runs the default interface: --io-buffers arena, --arena static")
    others = [name for name in compiled.model.libraries if name != PORTABLE]
    if others and vendor is None:
        raise UsageError(
            f"bench of {others[0]} kernels needs the library's sources",
            hint="--vendor-dir DIR, or --kernels portable",
        )


def _require_memory(
    compiled: Compiled, target: Target, memory: Memory, image: Image | None, stack_bytes: int = 0
) -> None:
    """Raise DoesNotFitError for what is too large: by the plan, or as it was linked."""
    if image is None:
        flash = sum(int(c.array.nbytes) for c in compiled.model.constants)
        ram = compiled.model.arena_bytes
    else:
        flash, ram = image.text_bytes + image.rodata_bytes, image.static_bytes
    ram_title = f"RAM with {stack_bytes:,} bytes of stack" if stack_bytes else "RAM"
    rows = (
        ("flash", flash, memory.flash_bytes),
        (ram_title, ram + stack_bytes, memory.ram_bytes),
    )
    lacking = [
        f"{kind}: {need:,} bytes needed, {has:,} emulated" for kind, need, has in rows if need > has
    ]
    if lacking:
        raise DoesNotFitError(
            f"{compiled.model.name} does not fit the emulated {target.title}: {'; '.join(lacking)}",
            hint="`mcugen inspect` shows what takes the memory",
        )
