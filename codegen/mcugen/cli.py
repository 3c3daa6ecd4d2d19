"""The command line: options, printing and exit codes; no logic of its own."""

from __future__ import annotations

import errno
import sys
import traceback
from contextvars import copy_context
from pathlib import Path
from typing import Annotated

import typer

from mcugen import __version__, api
from mcugen.cli_device import register
from mcugen.cli_options import JsonOpt, console, write_json
from mcugen.demo import run_demo
from mcugen.emulate.boot import require_bootable
from mcugen.errors import InternalError, McugenError, UnsupportedModelError, UsageError
from mcugen.report.bench_text import bench_json, print_bench, print_boot, print_comparison
from mcugen.report.boards_text import print_boards
from mcugen.report.check_text import check_json, print_check
from mcugen.report.model_report import unsupported_json
from mcugen.report.supported_ops import rows
from mcugen.report.text import print_report
from mcugen.targets import list_targets, load_target

app = typer.Typer(
    name="mcugen",
    help="ONNX models to C and firmware projects for microcontrollers, proved bit for bit.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ModelArg = Annotated[str, typer.Argument(metavar="MODEL.onnx", help="The ONNX file.")]
BoardOpt = Annotated[
    str, typer.Option("--board", help="A board of `mcugen boards`, or a target.toml.")
]
DimOpt = Annotated[
    list[str], typer.Option("--dim", metavar="NAME=INT", help="Value of a symbolic dimension.")
]
KernelsOpt = Annotated[str, typer.Option("--kernels", help="auto, portable, cmsis_nn or esp_nn.")]
ArithmeticOpt = Annotated[
    str, typer.Option("--arithmetic", help="Integer arithmetic: tflite or onnx.")
]
OutputsOpt = Annotated[
    list[str], typer.Option("--outputs", metavar="NAME", help="Cut the graph at this tensor.")
]
IoOpt = Annotated[str, typer.Option("--io", help="float, or quantized for integers at the border.")]
LayoutOpt = Annotated[
    str, typer.Option("--io-layout", help="onnx, or nhwc to take and give images channels last.")
]
BuffersOpt = Annotated[
    str, typer.Option("--io-buffers", help="arena, or caller for the caller's buffers.")
]
ArenaOpt = Annotated[str, typer.Option("--arena", help="static, or caller to be given the arena.")]
NameOpt = Annotated[str | None, typer.Option("--name", help="Prefix of all C names.")]
VendorOpt = Annotated[
    Path | None,
    typer.Option("--vendor-dir", metavar="DIR", help="Sources of the vendor's kernel library."),
]


def _dims(items: list[str]) -> dict[str, int]:
    found = {}
    for item in items:
        name, sep, value = item.rpartition("=")
        if not sep or not name or not value.isdecimal():
            raise UsageError(f"--dim takes NAME=INT, got '{item}'")
        found[name] = int(value)
    return found


@app.command()
def export(
    model: ModelArg,
    board: BoardOpt,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Where to write.")
    ] = None,
    name: NameOpt = None,
    dim: DimOpt = [],  # noqa: B006 - typer copies it
    kernels: KernelsOpt = "auto",
    arithmetic: ArithmeticOpt = "tflite",
    io: IoOpt = "float",
    io_layout: LayoutOpt = "onnx",
    io_buffers: BuffersOpt = "arena",
    arena: ArenaOpt = "static",
    arena_memory: Annotated[
        str,
        typer.Option("--arena-memory", help="auto, internal, or psram for the board's outer RAM."),
    ] = "auto",
    outputs: OutputsOpt = [],  # noqa: B006 - typer copies it
    emit: Annotated[str, typer.Option("--emit", help="project, or lib for the C alone.")] = (
        "project"
    ),
    selftest: Annotated[
        str, typer.Option("--selftest", help="Embedded self-test: full, crc or none.")
    ] = "crc",
    inputs: Annotated[
        Path | None, typer.Option("--inputs", metavar="FILE.npz", help="Self-test input.")
    ] = None,
    vendor_dir: VendorOpt = None,
    json_file: JsonOpt = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the output; ignore that it does not fit.")
    ] = False,
) -> None:
    """Write a firmware project (or a C library) for a board."""
    imported = api.load(model, dims=_dims(dim), outputs=outputs)
    compiled = api.compile(
        imported,
        board=board,
        kernels=kernels,
        arithmetic=arithmetic,
        name=name,
        io=io,
        io_layout=io_layout,
        io_buffers=io_buffers,
        arena=arena,
        arena_memory=arena_memory,
    )
    directory = output or Path(f"{compiled.compiled.model.prefix}_{compiled.target.name}")
    done = compiled.export(
        directory, emit=emit, selftest=selftest, inputs=inputs, vendor_dir=vendor_dir, force=force
    )
    print_report(done.report, console())
    console().print(f"\nwritten: {done.directory}", markup=False)
    console().print(f"next:    {done.next_command}", markup=False)
    write_json(json_file, done.report.to_json())


@app.command()
def check(
    model: ModelArg,
    board: BoardOpt = "host",
    dim: DimOpt = [],  # noqa: B006 - typer copies it
    kernels: KernelsOpt = "auto",
    arithmetic: ArithmeticOpt = "tflite",
    io: IoOpt = "float",
    io_layout: LayoutOpt = "onnx",
    io_buffers: BuffersOpt = "arena",
    arena: ArenaOpt = "static",
    outputs: OutputsOpt = [],  # noqa: B006 - typer copies it
    inputs: Annotated[
        Path | None, typer.Option("--inputs", metavar="FILE.npz", help="Samples to run.")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", min=1, help="Seeded samples.")] = 3,
    vendor_dir: VendorOpt = None,
    json_file: JsonOpt = None,
) -> None:
    """Prove the C equal to the reference byte for byte, layer by layer."""
    imported = api.load(model, dims=_dims(dim), outputs=outputs)
    compiled = api.compile(
        imported,
        board=board,
        kernels=kernels,
        arithmetic=arithmetic,
        io=io,
        io_layout=io_layout,
        io_buffers=io_buffers,
        arena=arena,
    )
    result = compiled.check(inputs, samples=samples, vendor_dir=vendor_dir)
    print_check(result, console())
    write_json(json_file, check_json(result))
    if not result.ok:
        raise typer.Exit(1)


@app.command()
def inspect(
    model: ModelArg,
    board: BoardOpt = "host",
    dim: DimOpt = [],  # noqa: B006 - typer copies it
    kernels: KernelsOpt = "auto",
    arithmetic: ArithmeticOpt = "tflite",
    outputs: OutputsOpt = [],  # noqa: B006 - typer copies it
    json_file: JsonOpt = None,
) -> None:
    """Show operators, memory, whether it fits, and what is unsupported and why."""
    try:
        imported = api.load(model, dims=_dims(dim), outputs=outputs)
    except UnsupportedModelError as error:
        write_json(json_file, unsupported_json(model, board, error.unsupported))
        raise
    compiled = api.compile(imported, board=board, kernels=kernels, arithmetic=arithmetic)
    report = compiled.report()
    print_report(report, console())
    write_json(json_file, report.to_json())


@app.command()
def bench(
    model: ModelArg,
    board: BoardOpt,
    dim: DimOpt = [],  # noqa: B006 - typer copies it
    kernels: Annotated[
        str,
        typer.Option(
            "--kernels",
            help="As in export, a vendor's with --vendor-dir; several, with commas, are compared.",
        ),
    ] = "portable",
    arithmetic: ArithmeticOpt = "tflite",
    outputs: OutputsOpt = [],  # noqa: B006 - typer copies it
    cc: Annotated[
        str | None, typer.Option("--cc", metavar="COMMAND", help="A GCC for the board's core.")
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option("--inputs", metavar="FILE.npz", help="Sample to run.")
    ] = None,
    boot: Annotated[
        bool,
        typer.Option("--boot", help="Also start the board's own image on an emulated board."),
    ] = False,
    vendor_dir: VendorOpt = None,
    json_file: JsonOpt = None,
) -> None:
    """Measure the model on an emulated processor: cycles, stack and size, no hardware."""
    if boot:
        require_bootable(load_target(board))
    imported = api.load(model, dims=_dims(dim), outputs=outputs)
    choices = [
        api.compile(imported, board=board, kernels=choice.strip(), arithmetic=arithmetic)
        for choice in kernels.split(",")
    ]
    for compiled in choices:
        compiled.require_bench(cc=cc, vendor_dir=vendor_dir, boot=boot)
    results, boots = [], []
    for compiled in choices:
        results.append(compiled.bench(inputs, cc=cc, vendor_dir=vendor_dir))
        print_bench(results[-1], console())
        if boot:
            with console().status(f"booting {board}, simulated"):
                boots.append(compiled.boot(inputs, cc=cc, vendor_dir=vendor_dir))
            print_boot(boots[-1], console())
    if len(results) > 1:
        print_comparison(results, console())
    write_json(json_file, bench_json(results, boots))
    if not all(r.outputs_equal for r in results) or not all(b.passed for b in boots):
        raise typer.Exit(1)


@app.command()
def boards() -> None:
    """List the boards."""
    print_boards(list_targets(), console())


@app.command()
def ops() -> None:
    """List the supported ONNX operators."""
    for row in rows():
        line = f"{row.onnx:<36} {row.internal:<22} {row.integer}"
        console().print(line, markup=False, highlight=False)


@app.command()
def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write the project.")
    ] = Path("mcugen_demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier demo.")] = False,
) -> None:
    """Run the embedded example from ONNX file to proven firmware project."""
    run_demo(output, console(), force=force)


register(app)


def _version(value: bool) -> None:
    if value:
        console().print(f"mcugen {__version__}", markup=False, highlight=False)
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del debug, version


_FULL = (errno.ENOSPC, errno.EDQUOT)
"""A disk's state, wherever it is met, and no fault of mcugen."""


def _report_error(error: McugenError) -> int:
    for line in error.message.splitlines() or [""]:
        print(f"error: {line}" if not line.startswith(" ") else line, file=sys.stderr)
    if error.hint:
        print(f"hint: {error.hint}", file=sys.stderr)
    return error.exit_code


def main() -> None:
    """Entry point: turns errors into messages and exit codes."""
    debug = "--debug" in sys.argv
    try:
        copy_context().run(app)  # options that a command notes are forgotten after it
    except McugenError as error:
        if debug:
            traceback.print_exc()
        sys.exit(_report_error(error))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError) and error.errno in _FULL:
            place = error.filename or "what this command writes to"
            sys.exit(_report_error(McugenError(f"{place} is full: {error.strerror}")))
        wrapped = InternalError(
            f"{type(error).__name__}: {error}",
            hint="this is a fault of mcugen: please report it with the model; --debug shows where",
        )
        sys.exit(_report_error(wrapped))


if __name__ == "__main__":
    main()
