"""RAM of the firmware application in an exported project, and where its input buffer lies."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.c_model import CModel
from mcugen.targets import Target

_STATE_BYTES = 512
"""Of `mcugen_app`, on a 32-bit board."""
_LAYER_BYTES = 16
"""Of one `mcugen_app_layer`."""


@dataclass(frozen=True)
class Application:
    """What the application takes besides the model.

    Attributes:
        fixed_bytes: its state, and the sums of `layers`.
        buffer_bytes: of all inputs, which `db load` fills; 0 for a model without inputs.
        has_buffer: False where only a project without the buffer fits the board.
        section: linker section of the buffer in external RAM; "" for internal RAM.
        arena_section: of the arena, likewise.
    """

    fixed_bytes: int
    buffer_bytes: int
    has_buffer: bool
    section: str
    arena_section: str

    @property
    def ram_bytes(self) -> int:
        """All of it that the project takes."""
        return self.fixed_bytes + (self.buffer_bytes if self.has_buffer else 0)

    def flags(self, macro: str) -> list[str]:
        """Build flags that say so, for a model of this macro prefix."""
        flags = []
        if self.arena_section:
            flags.append(f"-D{macro}_ARENA_SECTION={self.arena_section}")
        if self.section:
            flags.append(f"-D{macro}_APP_SECTION={self.section}")
        if not self.has_buffer:
            flags.append("-DMCUGEN_APP_BUFFER=0")
        return flags


def application(model: CModel, target: Target, stack_bytes: int) -> Application:
    """The application beside a model: internal RAM for what it needs first, then for the buffer.

    Args:
        model: in the project.
        target: the board.
        stack_bytes: of one inference, 0 where unknown.
    """
    fixed = _STATE_BYTES + _LAYER_BYTES * len(model.calls)
    buffer = sum(t.bytes for t in model.inputs)
    need = model.arena_bytes + stack_bytes + fixed
    arena_section = target.arena_section(need)
    inside = fixed + stack_bytes if arena_section else need
    if inside + buffer <= target.ram_bytes:
        return Application(fixed, buffer, True, "", arena_section)
    outside = need - inside
    fits = outside + buffer <= target.psram_bytes
    section = target.psram_section if fits else ""
    return Application(fixed, buffer, fits, section, arena_section)
