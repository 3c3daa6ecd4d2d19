"""Where compiled C is kept, what is said when it cannot be, and compilers in several parts."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from mcugen import toolchain
from mcugen.errors import InternalError, McugenError, UsageError


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_the_cache_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCUGEN_CACHE", str(tmp_path / "a" / "b"))
    assert toolchain.cache_dir() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_without_the_variable_it_is_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MCUGEN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert toolchain.cache_dir() == tmp_path / "mcugen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert toolchain.cache_dir() == tmp_path / ".cache" / "mcugen"


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MCUGEN_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UsageError, match="file/cache cannot be made: Not a directory") as caught:
        toolchain.cache_dir()
    assert "set MCUGEN_CACHE" in caught.value.hint


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCUGEN_CACHE", str(tmp_path))
    monkeypatch.setattr(toolchain.os, "access", lambda path, mode: False)
    with pytest.raises(UsageError, match="cannot be written"):
        toolchain.cache_dir()


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MCUGEN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", _no_home)
    with pytest.raises(UsageError, match="no home folder"):
        toolchain.cache_dir()


PROGRAM = {"main.c": "int main(void) { return 7; }\n"}


def test_a_compiler_with_an_assembler_and_a_linker_of_their_own() -> None:
    whole = toolchain.find_compiler()
    parts = dataclasses.replace(whole, assembler=whole.command, linker=(*whole.command, "-s"))
    one, other = (
        toolchain.build(PROGRAM, compiler=compiler, link_flags=(), suffix=".exe")
        for compiler in (whole, parts)
    )
    assert one != other  # what is kept of one is not taken for the other's
    assert [subprocess.run([p], check=False).returncode for p in (one, other)] == [7, 7]


def test_an_assembler_that_fails_is_named() -> None:
    whole = toolchain.find_compiler()
    wrong = dataclasses.replace(whole, assembler=(*whole.command, "-no-such-option"))
    with pytest.raises(InternalError, match="no-such-option"):
        toolchain.build(PROGRAM, compiler=wrong, link_flags=(), suffix=".exe")


def _compiler(folder: Path, script: str) -> toolchain.Compiler:
    """A program in place of a compiler; it says its version."""
    path = folder / "cc"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "cc 1" && exit\n{script}\n')
    path.chmod(0o755)
    return toolchain.describe((str(path),))


@pytest.mark.parametrize("command", [("sh", "-c", ""), ("sh", "-c", "echo; echo")])
def test_a_program_that_does_not_say_its_version_is_no_compiler(command: tuple[str, ...]) -> None:
    with pytest.raises(McugenError, match="is no C compiler: it says nothing"):
        toolchain.describe(command)


@pytest.mark.parametrize("command", ["no-such-cc -m32", "false", " "])
def test_a_compiler_of_the_users_that_cannot_be_run(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("MCUGEN_CC", command)
    with pytest.raises(McugenError, match=r"C compiler '.*' cannot be run") as caught:
        toolchain.find_compiler()
    assert "MCUGEN_CC" in caught.value.hint


def test_what_a_compiler_says_may_be_no_utf8(tmp_path: Path) -> None:
    compiler = _compiler(tmp_path, r"printf 'bad \377 character' >&2; exit 1")
    with pytest.raises(InternalError, match="bad \ufffd character"):
        toolchain.build(PROGRAM, compiler=compiler)


def test_a_compiler_that_writes_nothing_leaves_nothing_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCUGEN_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InternalError, match="the compiler wrote nothing: "):
        toolchain.build(PROGRAM, compiler=_compiler(tmp_path, "exit 0"))
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_compiler_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_TIMEOUT_S", 0.2)
    with pytest.raises(InternalError, match=r"compiling takes more than 0\.2 s: "):
        toolchain.build(PROGRAM, compiler=_compiler(tmp_path, "exec sleep 60"))
