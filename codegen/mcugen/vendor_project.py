"""What a vendor's kernel library adds to an exported project.

With the sources at hand (`--vendor-dir`) the files that the model needs are copied into `lib/`.
Without, PlatformIO fetches the pinned commit by git and a script gives it the manifest that its
repository lacks; for the computer at hand our stand-ins take its place. ESP-IDF's component manager
fetches what its registry has: only its build knows the assembly of the chip, so nothing is copied.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from mcugen.host import standin_files
from mcugen.kernels.library import KernelLibrary
from mcugen.render import environment
from mcugen.targets import Target
from mcugen.toolchain import ForeignSources
from mcugen.vendor import LICENCE_FILE, LibraryUse

_QUIET = ("-w",)
"""The vendor's C is not held to our warnings."""


@dataclass(frozen=True)
class VendorPart:
    """Additions to a project.

    Attributes:
        files: relative path -> text.
        platformio: keys of the environment in platformio.ini.
        folders: folders below `lib/` with C that is built without our warnings.
        notes: lines for the README, in Markdown.
        stack_bytes: of the library's functions, in one inference.
        ignored: lines of .gitignore.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    platformio: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stack_bytes: int = 0
    ignored: tuple[str, ...] = ()


def vendor_part(
    uses: Sequence[LibraryUse], target: Target, vendor: ForeignSources | None
) -> VendorPart:
    """The additions for the library that a model calls; nothing when it calls none.

    Args:
        uses: of the model, at most one.
        target: the board.
        vendor: the library's own files, to be copied.
    """
    if not uses:
        return VendorPart()
    use = uses[0]
    if use.library.component and target.platformio.get("framework") == "espidf":
        return _component(use)
    if vendor is not None:
        return _copied(use.library, vendor)
    if target.platformio.get("platform") == "native":
        return _standins(use.library)
    return _fetched(use)


def flattened(library: KernelLibrary, vendor: ForeignSources) -> dict[str, str]:
    """Headers by their path on the include path, sources by their name alone, the licence."""
    files = {}
    for path, text in vendor.files.items():
        parents = [PurePosixPath(i) for i in library.includes]
        place = PurePosixPath(path)
        inside = next((place.relative_to(p) for p in parents if place.is_relative_to(p)), None)
        name = f"{library.title}-{path}" if path == LICENCE_FILE else str(inside or place.name)
        files[name] = text
    return files


def _copied(library: KernelLibrary, vendor: ForeignSources) -> VendorPart:
    files = flattened(library, vendor)
    note = f"`lib/{library.title}` is {library.pin}, the files that this model needs."
    return VendorPart(_own_library(library, files), folders=(library.title,), notes=(note,))


def _standins(library: KernelLibrary) -> VendorPart:
    note = (
        f"`lib/{library.title}` stands in for {library.pin}: C of mcugen with the same results, "
        "for this computer alone. `--vendor-dir` puts the library itself there."
    )
    files = _own_library(library, standin_files(library.name))
    return VendorPart(files, folders=(library.title,), notes=(note,))


def _own_library(library: KernelLibrary, files: Mapping[str, str]) -> dict[str, str]:
    """A library of the project: headers in `include`, sources in `src`."""
    folder = f"lib/{library.title}"
    places = {".c": "src/", ".h": "include/"}
    placed = {
        f"{folder}/{places.get(PurePosixPath(name).suffix, '')}{name}": text
        for name, text in files.items()
    }
    build = {"includeDir": "include", "srcDir": "src"}
    return {**placed, f"{folder}/library.json": _json(_manifest(library, build))}


def _fetched(use: LibraryUse) -> VendorPart:
    library = use.library
    build = {
        "includeDir": library.includes[0],
        "srcDir": ".",
        "srcFilter": ["-<*>", *(f"+<{source}>" for source in use.sources)],
    }
    script = f"{library.name}_manifest.py"
    text = environment().get_template("project/library_manifest.py.j2")
    note = (
        f"PlatformIO fetches {library.pin} by git; `{script}` gives it its manifest: the "
        f"{len(use.sources)} source files that this model needs."
    )
    return VendorPart(
        {script: text.render(library=library, manifest=_json(_manifest(library, build)).rstrip())},
        {
            "lib_deps": f"{library.repository}#{library.commit}",
            "extra_scripts": f"pre:{script}",
        },
        notes=(note,),
    )


def _component(use: LibraryUse) -> VendorPart:
    library = use.library
    text = environment().get_template("project/src_idf_component.yml.j2").render(library=library)
    note = (
        f"ESP-IDF's component manager fetches {library.title} {library.version} "
        f"(`src/idf_component.yml`); {library.caveat}."
    )
    return VendorPart(
        {"src/idf_component.yml": text},
        notes=(note,),
        stack_bytes=library.stack_bytes(use.functions),
        ignored=("managed_components/",),
    )


def _manifest(library: KernelLibrary, build: Mapping[str, object]) -> dict[str, object]:
    flags = [*_QUIET, *(f"-D{d}" for d in library.defines)]
    return {
        "name": library.title,
        "version": library.version,
        "frameworks": "*",
        "platforms": "*",
        "build": {"flags": flags, **build},
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
