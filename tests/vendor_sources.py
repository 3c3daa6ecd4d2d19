"""Kernel libraries' own sources: the real ones where they are at hand, and made-up ones.

The real ones are no part of the project. The made-up ones have the library's files and folders, and
in them our stand-ins.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path

from mcugen.host import standin_files
from mcugen.kernels.library import KernelLibrary, VendorFile, git_blob
from mcugen.vendor import LibraryUse


def vendor_folder(library: str) -> Path | None:
    """The folder that MCUGEN_CMSIS_NN names (or the like for another library), if any."""
    value = os.environ.get(f"MCUGEN_{library.upper()}")
    return Path(value) if value else None


_KINDS = {
    "unweighted_s16": r"(?!.*s8)arm_(elementwise|avgpool|max_pool)\w*_s16",
    "weighted_s16": r"(?!.*s8)arm_(conv|depthwise|fully|batch|nn_mat_mult|nn_depth|nn_vec)\w*_s16",
    "convolution": r"arm_(convolve|depthwise|transpose_conv|nn_mat_mult|nn_depth|q7_|s8_to)",
    "matrix": r"arm_(fully|batch|vector|nn_vec)",
    "pooling": r"arm_(avgpool|max_pool)",
    "elementwise": r"arm_(elementwise|maximum|minimum)",
    "softmax": r"arm_(nn_)?softmax",
    "activation": r"arm_nn(_activation|tables)",
    "movement": r"arm_(pad|concatenation|transpose_s8)",
}
"""Stand-in of CMSIS-NN -> the files of the library that it is in the place of."""

_EMPTY = "typedef int nothing_here;\n"
_BROKEN = "#error this file is not to be compiled\n"


def made_up_sources(use: LibraryUse) -> dict[str, str]:
    """The files of CMSIS-NN that a model needs, and others that must not be compiled."""
    texts = dict(standin_files(use.library.name))
    files = {name: texts.get(name.rpartition("/")[2], "") for name in use.library.headers}
    placed: set[str] = set()
    for name in use.sources:
        stem = name.rpartition("/")[2]
        kind = next(k for k, pattern in _KINDS.items() if re.match(pattern, stem))
        files[name] = _EMPTY if kind in placed else _inlined(f"cmsis_nn_{kind}.c", texts)
        placed.add(kind)
    others = set(use.library.files) - set(files) | {"Tests/main.c", "Source/Other/other_s16.c"}
    return files | dict.fromkeys(sorted(others), _BROKEN) | {"LICENSE": "Apache-2.0\n"}


def _inlined(name: str, texts: Mapping[str, str]) -> str:
    """A stand-in with its own headers in it, as the library has none of their names."""

    def header(match: re.Match[str]) -> str:
        included = match.group(1)
        return match.group(0) if included.startswith("arm_") else _inlined(included, texts)

    return re.sub(r'^#include "([^"]+)"', header, texts[name], flags=re.MULTILINE)


def write_sources(folder: Path, files: dict[str, str]) -> None:
    """Write the files below the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def pinned_to(library: KernelLibrary, files: dict[str, str]) -> KernelLibrary:
    """The library as if these files were its pinned version."""
    known = {n: VendorFile(git_blob(files[n].encode()), f.code_bytes)
             for n, f in library.files.items()}  # fmt: skip
    return dataclasses.replace(library, files=known)
