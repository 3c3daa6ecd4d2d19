"""Prints what a program takes of flash and RAM, as a toolchain's `size` would for a board."""

import sys
from pathlib import Path

from mcugen.elf import object_sizes

found = object_sizes(Path(sys.argv[1]).read_bytes())
print("flash", found.flash_bytes)
print("ram", found.zero_bytes)
