"""Every error a user can meet, with the exit code the command line gives for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


class McugenError(Exception):
    """Base of all errors: one line of what and where, and an optional hint.

    `str(error)` is `message` alone; the command line prints `error: MESSAGE` and, on its own
    line, `hint: HINT`.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ModelError(McugenError):
    """The model, or another input of the user's, is wrong (exit code 1)."""


@dataclass(frozen=True)
class Unsupported:
    """One ONNX node that cannot be generated, for the list in the error and the report.

    Attributes:
        name: the ONNX node's name (or, when it has none, its first output).
        op: the ONNX operator, `domain::Op` when the domain is not the default one.
        reason: the rule that was broken, with what was found and what is allowed.
        hint: what the user can do about it; may be empty.
    """

    name: str
    op: str
    reason: str
    hint: str = ""


class UnsupportedModelError(ModelError):
    """Nodes of the model have no implementation; all of them are listed at once."""

    def __init__(self, path: str, unsupported: Sequence[Unsupported]) -> None:
        lines = [f"{u.op} '{u.name}' ({path}): {u.reason}" for u in unsupported]
        hints = sorted({u.hint for u in unsupported if u.hint})
        super().__init__("\n".join(lines), hint="; ".join(hints))
        self.unsupported = tuple(unsupported)


class UsageError(McugenError):
    """An option or a combination of options is wrong (exit code 2)."""

    exit_code = 2


class DeviceError(McugenError):
    """A board, its port, a meter or a tool for it failed or answered wrongly (exit code 1)."""


class DoesNotFitError(McugenError):
    """The model does not fit the board (exit code 3)."""

    exit_code = 3


class InternalError(McugenError):
    """A fault of mcugen itself (exit code 70)."""

    exit_code = 70


class MissingExtraError(McugenError):
    """An optional package is needed and not installed; the hint is the pip command."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the package '{package}', which is not installed",
            hint=f"pip install 'mcugen[{extra}]'",
        )
