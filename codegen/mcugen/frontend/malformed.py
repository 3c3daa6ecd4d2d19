"""What the frontend raises before it knows how the user named the model."""

from __future__ import annotations


class Malformed(Exception):  # noqa: N818 - a verdict; the loader turns it into a ModelError
    """The file breaks a rule of ONNX or a limit of ours.

    `reason` completes `model.onnx: ...`.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def text(value: str | bytes) -> str:
    """A protobuf string field.

    protobuf hands back `bytes` where a field is not UTF-8.

    Raises:
        Malformed: the field is not UTF-8.
    """
    if isinstance(value, bytes):
        raise Malformed(f"a name is not valid UTF-8 ({value[:20]!r}): the file is damaged")
    return value


def shown(name: str, limit: int = 80) -> str:
    """A name of the file as one line of an error shows it: quoted, bounded, no control codes."""
    printable = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in name[: limit + 1])
    return f"'{printable}'" if len(name) <= limit else f"'{printable[:limit]}...'"
