"""The files of an exported firmware project, or of the C library alone: texts by relative path."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping

import jinja2

from mcugen import resources
from mcugen.application import Application, application
from mcugen.c_model import CModel
from mcugen.compiler import Compiled
from mcugen.host import runtime_headers, runtime_sources
from mcugen.kernels import PORTABLE
from mcugen.render import environment
from mcugen.selftest import Selftest, selftest_files
from mcugen.targets import Target
from mcugen.toolchain import STRICT_WARNINGS, ForeignSources
from mcugen.vendor import libraries_used
from mcugen.vendor_project import VendorPart, flattened, vendor_part

MARK = ".mcugen.json"
"""What says that a folder was written by mcugen, and for which board."""

MEASUREMENTS = "measurements"
"""Folder of the project with runs on the board; a new export leaves it as it is."""

_IGNORED = (".pio/", "build/", "sdkconfig.*", "!sdkconfig.defaults")

EXACT_FLAGS = ("-ffp-contract=off",)
_HOST_ONLY = ("-Wpedantic", "-Wundef")
"""Left out for boards: their SDKs reach the C library's headers through wrappers that are found
by -I, so warnings in them count (`#include_next` is one under -Wpedantic)."""


def project_files(
    compiled: Compiled,
    target: Target,
    test: Selftest | None,
    reports: Mapping[str, str],
    stack_bytes: int | None = None,
    vendor: ForeignSources | None = None,
) -> dict[str, str]:
    """Everything below the folder of a firmware project.

    Args:
        compiled: the model.
        target: the board.
        test: self-test to embed; without one the program only runs and times the model.
        reports: file name -> text of the reports.
        stack_bytes: of one inference, where known, for the size of its task's stack.
        vendor: the files that the model needs of a vendor's kernel library, to be copied.
    """
    model = compiled.model
    uses = libraries_used(compiled)
    part = vendor_part(uses, target, vendor)
    sources = runtime_sources()
    beside = application(model, target, stack_bytes or 0)
    build_flags = [*_build_flags(model, target), *beside.flags(model.macro)]
    runtime = _runtime({**compiled.files, **sources})
    values = {
        "m": model,
        "t": target,
        "build_flags": build_flags,
        "app": beside,
        "kernels": ", ".join([PORTABLE, *(use.library.pin for use in uses)]),
        "memory": _memory_text(beside),
        "warnings": " ".join(STRICT_WARNINGS),
        "main": next(f for f in target.files if f.startswith("src/main")),
        "stack_bytes": stack_bytes,
        "libraries": [use.library for use in uses],
        "vendor": part,
        "platformio": _platformio(target, part),
    }
    files = {
        **_model_library(compiled, target),
        **{f"lib/mcugen_rt/include/{n}": t for n, t in runtime.items()},
        **{f"lib/mcugen_rt/src/{n}": t for n, t in sources.items()},
        "lib/mcugen_rt/library.json": _library_json(
            "mcugen_rt", "What all models of mcugen share", target
        ),
        **{f"src/{n}": t for n, t in selftest_files(model, test).items()},
        **{f"src/{n}": t for n, t in target.firmware_files().items()},
        **target.copied_files(),
        **part.files,
        **reports,
        ".gitignore": "\n".join([*_IGNORED, *part.ignored]) + "\n",
        MARK: _json(_mark(model, target, beside)),
    }
    common = {n: f"project/{n}.j2" for n in ("README.md", "NOTICE")}
    if target.platformio:
        common["platformio.ini"] = "project/platformio.ini.j2"
    common |= {f"src/{model.prefix}_app.{kind}": f"project/app.{kind}.j2" for kind in ("c", "h")}
    env = environment().overlay(
        loader=jinja2.FileSystemLoader([*target.folders, resources.templates()])
    )
    for path, template in {**common, **target.files}.items():
        files[path] = env.get_template(template).render(values)
    return files


def _mark(model: CModel, target: Target, beside: Application) -> dict[str, object]:
    """What building and flashing need of the board: its file may not be there any more then."""
    return {
        "schema": 1,
        "kind": "project",
        "model": model.prefix,
        "board": target.name,
        "title": target.title,
        "device": dataclasses.asdict(target.device),
        "memory": {
            "ram_bytes": target.ram_bytes + target.ram_reserve_bytes,
            "flash_bytes": target.flash_bytes + target.flash_reserve_bytes,
            "ram_reserve_bytes": target.ram_reserve_bytes,
            "flash_reserve_bytes": target.flash_reserve_bytes,
            "static_ram_bytes": (0 if beside.arena_section else model.arena_bytes)
            + (beside.fixed_bytes if beside.section else beside.ram_bytes),
        },
    }


def library_files(
    compiled: Compiled, reports: Mapping[str, str], vendor: ForeignSources | None = None
) -> dict[str, str]:
    """The C library alone, at once an Arduino, a PlatformIO and an ESP-IDF library.

    A vendor's kernel library that it calls lies in it too where its files are given; else whoever
    uses the library provides it.
    """
    model = compiled.model
    prefix = model.prefix
    uses = libraries_used(compiled)
    texts = {**_runtime(compiled.files), **compiled.files}
    if vendor is not None and uses:
        texts |= flattened(uses[0].library, vendor)
    sources = {f"src/{n}": t for n, t in texts.items()}
    values = {
        "m": model,
        "sources": sorted(n for n in sources if n.endswith(".c")),
        "libraries": [use.library for use in uses],
        "components": [use.library for use in uses if use.library.component and vendor is None],
    }
    templates = {
        "library.properties": "library.properties",
        "CMakeLists.txt": "component_cmakelists",
        "idf_component.yml": "idf_component.yml",
        f"examples/{prefix}_once/{prefix}_once.ino": "example.ino",
        "NOTICE": "NOTICE",
    }
    env = environment()
    return {
        **sources,
        "library.json": _library_json(prefix, _description(model), None),
        **reports,
        MARK: _json({"schema": 1, "kind": "library", "model": prefix}),
        **{p: env.get_template(f"project/{t}.j2").render(values) for p, t in templates.items()},
    }


def _model_library(compiled: Compiled, target: Target) -> dict[str, str]:
    model = compiled.model
    folder = f"lib/{model.prefix}"
    public = (f"{model.prefix}.h", f"{model.prefix}_io.h")
    files = {
        f"{folder}/{'include' if n in public else 'src'}/{n}": t for n, t in compiled.files.items()
    }
    files[f"{folder}/library.json"] = _library_json(model.prefix, _description(model), target)
    return files


def _description(model: CModel) -> str:
    return f"ONNX model {model.prefix} as plain C, generated by mcugen {model.version}"


def _library_json(name: str, description: str, target: Target | None) -> str:
    """PlatformIO's manifest; our own C is built with warnings as errors inside a project."""
    flags = list(EXACT_FLAGS)
    if target is not None:
        on_host = not target.compiler.zig
        flags += [w for w in STRICT_WARNINGS if on_host or w not in _HOST_ONLY]
    build: dict[str, object] = {"flags": flags}
    if target is not None:
        build |= {"includeDir": "include", "srcDir": "src"}
    return _json(
        {
            "name": name,
            "version": "1.0.0",
            "description": description,
            "frameworks": "*",
            "platforms": "*",
            "headers": f"{name}.h",
            "build": build,
        }
    )


def _build_flags(model: CModel, target: Target) -> list[str]:
    own = str(target.platformio.get("build_flags", "")).split()
    return [target.compiler.optimize, *EXACT_FLAGS, *own, f"-D{model.macro}_TRACE"]


def _memory_text(beside: Application) -> str:
    arena = f"external RAM ({beside.arena_section})" if beside.arena_section else "internal RAM"
    return f"arena: {arena}, weights: flash"


def _platformio(target: Target, part: VendorPart) -> dict[str, str]:
    """The environment's keys; what a vendor's library adds comes below the board's own lines."""
    keys = {k: str(v) for k, v in target.platformio.items() if k != "build_flags"}
    for key, value in part.platformio.items():
        lines = [*keys.get(key, "").splitlines(), value]
        keys[key] = "".join(f"\n    {line.strip()}" for line in lines if line.strip())
    return keys


def _runtime(files: Mapping[str, str]) -> dict[str, str]:
    """The runtime headers that these files include, directly or through each other."""
    available = runtime_headers()
    found: dict[str, str] = {}
    queue = list(_included(files.values()))
    while queue:
        name = queue.pop()
        if name in available and name not in found:
            found[name] = available[name]
            queue += _included([available[name]])
    return {n: found[n] for n in sorted(found)}


def _included(texts: Iterable[str]) -> set[str]:
    return {n for text in texts for n in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
