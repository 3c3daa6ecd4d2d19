"""What is known of a vendor's kernel library: pin, licence, the files that each function needs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class VendorFile:
    """One file of the library at its pinned commit.

    Attributes:
        blob: the id that git gives its content, its first 16 hexadecimal digits.
        code_bytes: machine code and tables, measured on the smallest core it is for; 0 for headers.
    """

    blob: str
    code_bytes: int = 0


@dataclass(frozen=True)
class VendorFunction:
    """A function that generated C calls.

    Attributes:
        files: the files of the library's tree with its code and all that it calls.
        stack_bytes: of the deepest chain of calls, measured on the hungriest core.
    """

    files: tuple[str, ...]
    stack_bytes: int = 0


@dataclass(frozen=True)
class KernelLibrary:
    """A vendor's kernel library.

    The generated C includes `header`, a file of `firmware/` that brings in the vendor's headers and
    refuses (`#error`) a library that is built otherwise than planned.

    Attributes:
        name: as in `--kernels`; also the folder of its templates and stand-ins.
        title: what its vendor calls it.
        version: the pinned version.
        repository: where git finds it.
        commit: the pinned commit.
        licence: SPDX identifier.
        copyright: its notice.
        header: runtime header that includes the vendor's.
        includes: folders of its tree on the include path.
        headers: files of its tree that every function needs.
        functions: those that generated C calls, by name.
        files: every file above, and what the pinned version has in it.
        defines: macros that its sources are compiled with.
        component: what ESP-IDF's component registry calls it; "" where it is not there.
        reentrant: whether two inferences may run at the same time.
        caveat: what reports say where it is used; "" for nothing.
    """

    name: str
    title: str
    version: str
    repository: str
    commit: str
    licence: str
    copyright: str
    header: str
    includes: tuple[str, ...]
    headers: tuple[str, ...]
    functions: Mapping[str, VendorFunction]
    files: Mapping[str, VendorFile]
    defines: tuple[str, ...] = ()
    component: str = ""
    reentrant: bool = True
    caveat: str = ""

    @property
    def pin(self) -> str:
        """Version and commit, for messages."""
        return f"{self.title} {self.version} (commit {self.commit[:12]})"

    @property
    def repository_name(self) -> str:
        """The folder that a checkout gets."""
        return self.repository.rpartition("/")[2].removesuffix(".git")

    def functions_in(self, texts: Iterable[str]) -> tuple[str, ...]:
        """The library's functions that C texts name, sorted."""
        words = {w for text in texts for w in re.findall(r"\w+", text)}
        return tuple(sorted(words & self.functions.keys()))

    def sources_for(self, functions: Iterable[str]) -> tuple[str, ...]:
        """The files with the code of these functions, sorted."""
        return tuple(sorted({f for name in functions for f in self.functions[name].files}))

    def code_bytes(self, functions: Iterable[str]) -> int:
        """Code of all files that these functions need."""
        return sum(self.files[f].code_bytes for f in self.sources_for(functions))

    def stack_bytes(self, functions: Iterable[str]) -> int:
        """Stack of the hungriest of these functions."""
        return max((self.functions[name].stack_bytes for name in functions), default=0)


def git_blob(data: bytes) -> str:
    """First 16 digits of git's id of this content; line ends of Windows count as those of Unix."""
    content = data.replace(b"\r\n", b"\n")
    digest = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return digest.hexdigest()[:16]
