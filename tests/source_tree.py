"""The project's own sources, parsed: modules, what they import, how long functions are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "codegen" / "mcugen"


@dataclass(frozen=True)
class Import:
    """One imported name: `target` is a module or `module.name`; `lazy` inside a function."""

    target: str
    line: int
    lazy: bool


@dataclass(frozen=True)
class Function:
    """A function and its lines, docstring and decorators apart."""

    name: str
    lines: int


def name_of(path: Path) -> str:
    """`mcugen.ops.conv` for its file; a package has the name of its folder."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Module name -> file, of the whole package."""
    return {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> list[Import]:
    """Everything that a file imports, wherever in it the statement stands."""
    return list(_imports_below(_parsed(path), lazy=False))


def _imports_below(node: ast.AST, lazy: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, lazy)
        elif isinstance(child, ast.ImportFrom):
            module = "." * child.level + (child.module or "")
            for alias in child.names:
                yield Import(f"{module}.{alias.name}", child.lineno, lazy)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports_below(child, lazy or inside)


def module_of(target: str) -> str | None:
    """The module of ours that an import's target lies in; None for others' and for the version."""
    if target == "mcugen.__version__":
        return None
    while target.split(".")[0] == "mcugen":
        if target in modules():
            return target
        target = target.rpartition(".")[0]
    return None


def functions(path: Path) -> list[Function]:
    """All functions and methods of a file; a nested one counts in its outer one as well."""
    found = []
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node) is not None:
                first = node.body[0]
                assert first.end_lineno is not None
                lines -= first.end_lineno - first.lineno + 1
            found.append(Function(f"{path.name}:{node.lineno} {node.name}", lines))
    return found


def line_count(path: Path) -> int:
    """Lines of a text file."""
    return len(path.read_text(encoding="utf-8").splitlines())


_TEXT_SUFFIXES = {
    ".py", ".j2", ".c", ".h", ".cpp", ".toml", ".md", ".yml", ".ini", ".txt", ".csv", ".defaults",
}  # fmt: skip
_FOLDERS = (
    "codegen", "templates", "targets", "firmware", "tests", "examples", "docs", "benchmarks",
)  # fmt: skip


def text_files() -> list[Path]:
    """Every text file of the project but `.ci/run`, which alone knows the machine's folders."""
    top = [p for p in ROOT.iterdir() if p.suffix in _TEXT_SUFFIXES or p.name == "Makefile"]
    below = [p for name in _FOLDERS for p in (ROOT / name).rglob("*") if p.suffix in _TEXT_SUFFIXES]
    return sorted(p for p in top + below if p.is_file() and "__pycache__" not in p.parts)
