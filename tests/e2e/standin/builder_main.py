"""Builder of the stand-in platforms: the host's compiler in place of the board's toolchain."""

from __future__ import annotations

import os

from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
env.Replace(
    CC=os.environ["STANDIN_CC"],
    CXX=os.environ["STANDIN_CXX"],
    LINK=os.environ["STANDIN_CXX"],
    AR=os.environ["STANDIN_AR"],
    RANLIB=os.environ["STANDIN_RANLIB"],
    PROGNAME="firmware",
    PROGSUFFIX=".elf",
)
env.Append(CCFLAGS=["-Os", "-ffunction-sections"], CFLAGS=["-std=gnu17"])
env.Append(CXXFLAGS=["-std=gnu++17", "-fno-exceptions"])
Default(env.BuildProgram())
