"""A vendor's kernel library in a folder of the user's: found, recognised as the pinned version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcugen.compiler import Compiled
from mcugen.errors import UsageError
from mcugen.kernels import vendor_libraries
from mcugen.kernels.library import KernelLibrary, git_blob
from mcugen.toolchain import ForeignSources

LICENCE_FILE = "LICENSE"
"""Goes along with the sources where it lies beside them."""


@dataclass(frozen=True)
class LibraryUse:
    """A vendor library and what a model needs of it.

    Attributes:
        library: which.
        functions: what the generated C calls, sorted.
    """

    library: KernelLibrary
    functions: tuple[str, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """Source files of the library's tree that the model needs, sorted."""
        return self.library.sources_for(self.functions)

    @property
    def files(self) -> tuple[str, ...]:
        """The same with the headers."""
        return (*self.library.headers, *self.sources)


def libraries_used(compiled: Compiled) -> tuple[LibraryUse, ...]:
    """The vendor libraries that a model's C calls, with the functions."""
    texts = compiled.files.values()
    return tuple(
        LibraryUse(library, library.functions_in(texts))
        for library in vendor_libraries(compiled.model.libraries)
    )


def read_vendor(uses: Sequence[LibraryUse], folder: Path) -> ForeignSources:
    """The files that a model needs, from a folder with the library's sources.

    Raises:
        UsageError: the model calls no vendor's kernels, the folder is missing or holds something
            else, or a file is not that of the pinned version.
    """
    if not uses:
        raise UsageError(
            "--vendor-dir: the model calls no vendor's kernels",
            hint="--kernels chooses the library; the report names the reason at each node",
        )
    use = uses[0]
    library = use.library
    if not folder.is_dir():
        raise UsageError(f"--vendor-dir: {folder} is no folder", hint=_hint(library))
    if not any((folder / name).is_file() for name in library.headers):
        raise UsageError(
            f"--vendor-dir: {folder} does not hold {library.title}: no {library.headers[0]}",
            hint=_hint(library),
        )
    files = {name: _pinned(library, folder, name) for name in use.files}
    licence = folder / LICENCE_FILE
    if licence.is_file():
        files[LICENCE_FILE] = licence.read_text(encoding="utf-8")
    return ForeignSources(
        library.pin,
        files,
        library.includes,
        tuple(f"-D{d}" for d in library.defines),
    )


def _pinned(library: KernelLibrary, folder: Path, name: str) -> str:
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise UsageError(
            f"--vendor-dir: {folder / name} cannot be read: {error.strerror}; {library.pin} has it",
            hint=_hint(library),
        ) from error
    if git_blob(data) != library.files[name].blob:
        raise UsageError(
            f"--vendor-dir: {folder / name} is not that of {library.pin}", hint=_hint(library)
        )
    return data.decode("utf-8")


def _hint(library: KernelLibrary) -> str:
    folder = library.repository.rpartition("/")[2].removesuffix(".git")
    return f"git clone {library.repository} && git -C {folder} checkout {library.commit}"
