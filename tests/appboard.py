"""The firmware application as a program of this machine, asked over its pseudo-terminal."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from exported import make
from mcugen import api
from mcugen.ir import Array
from mcugen.toolchain import find_compiler

LIMIT_S = 30.0
COMPILER = f"CC={' '.join(find_compiler().command)}"


class Port:
    """One end of a pseudo-terminal, with a limit on every wait."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self.text = ""

    def send(self, text: str) -> None:
        """Write characters."""
        data = text.encode("latin-1")
        while data:
            data = data[os.write(self.descriptor, data) :]

    def read_until(self, pattern: str, limit_s: float = LIMIT_S) -> str:
        """What came up to the first match, which is taken too."""
        end = time.monotonic() + limit_s
        while not (found := re.search(pattern, self.text)):
            left = end - time.monotonic()
            ready, _, _ = select.select([self.descriptor], [], [], max(left, 0))
            assert ready, f"no {pattern!r} within {limit_s} s, but {self.text[-2000:]!r}"
            self.text += os.read(self.descriptor, 65536).decode("latin-1")
        taken, self.text = self.text[: found.end()], self.text[found.end() :]
        return taken

    def ask(self, command: str, limit_s: float = LIMIT_S) -> list[str]:
        """The lines of the answer, without the final `m-ready`."""
        self.send(f"{command}%")
        text = self.read_until(r"m-ready\r\n", limit_s)
        assert text.count("\n") == text.count("\r\n") == text.count("\r")
        return text.split("\r\n")[:-2]

    def close(self) -> None:
        """Hang up."""
        os.close(self.descriptor)


def build(folder: Path, *arguments: str) -> Path:
    """The program of an exported host project."""
    done = make(folder, COMPILER, *arguments, f"build/{prefix(folder)}")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder / "build" / prefix(folder)


def prefix(folder: Path) -> str:
    """The model's name in a project."""
    return next(p.name.removesuffix("_app.c") for p in (folder / "src").glob("*_app.c"))


@contextmanager
def running(program: Path, variables: Mapping[str, str] | None = None) -> Iterator[Port]:
    """The program behind a pseudo-terminal, before its boot lines are read."""
    with subprocess.Popen(
        [program, "--pty"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, **(variables or {})},
        text=True,
    ) as process:
        assert process.stdout is not None
        port = Port(process.stdout.readline().strip())
        try:
            yield port
        finally:
            port.close()
            process.kill()


@contextmanager
def booted(program: Path, variables: Mapping[str, str] | None = None) -> Iterator[Port]:
    """The same, ready."""
    with running(program, variables) as port:
        port.read_until(r"m-init-done\r\nm-ready\r\n")
        yield port


def load(port: Port, data: bytes, chunk: int = 31) -> None:
    """Fill the input buffer as MLPerf's runner does."""
    assert port.ask(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
    answers = [port.ask(f"db {data[i : i + chunk].hex()}") for i in range(0, len(data), chunk)]
    assert answers[-1] == ["m-load-done"]
    assert not any(answers[:-1])


def outputs(port: Port, model: api.Model) -> list[Array]:
    """All outputs of the last inference, by `output`."""
    graph = model.compiled.graph
    found = []
    for index, name in enumerate(graph.outputs):
        tensor = graph[name]
        *lines, last = port.ask(f"output {index}")
        data = b"".join(bytes.fromhex(line[line.index("[") + 1 : -1]) for line in lines)
        assert last.startswith("m-output-done-")
        found.append(np.frombuffer(data, tensor.dtype.np).reshape(tensor.shape))
    return found


def random_inputs(model: api.Model, seed: int) -> list[Array]:
    """An array per input."""
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for name in model.compiled.graph.inputs:
        tensor = model.compiled.graph[name]
        if tensor.dtype.is_float:
            found.append(rng.standard_normal(tensor.shape).astype(tensor.dtype.np))
        else:
            found.append(rng.integers(-100, 100, tensor.shape).astype(tensor.dtype.np))
    return found


def joined(arrays: Sequence[Array]) -> bytes:
    """Their bytes, one after the other."""
    return b"".join(a.tobytes() for a in arrays)


def laps(lines: Sequence[str]) -> list[int]:
    """The timestamps in an answer."""
    return [int(line.removeprefix("m-lap-us-")) for line in lines if line.startswith("m-lap")]
