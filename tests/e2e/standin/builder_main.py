"""Builder of the stand-in platforms: the host's compiler in place of the board's toolchain."""

from __future__ import annotations

import os
from pathlib import Path

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
here, python = Path(env.PioPlatform().get_dir(), "builder"), env.subst("$PYTHONEXE")
env.Replace(
    SIZECHECKCMD=f"{python} {here / 'size.py'} $SOURCES",
    SIZEPROGREGEXP=r"^flash (\d+)",
    SIZEDATAREGEXP=r"^ram (\d+)",
    UPLOADCMD=f"{python} {here / 'upload.py'} $UPLOAD_PORT $SOURCE",
)
program = env.BuildProgram()
Default(program)
env.AddPlatformTarget(
    "upload",
    program,
    [
        env.VerboseAction(env.AutodetectUploadPort, "Looking for upload port..."),
        env.VerboseAction("$UPLOADCMD", "Uploading $SOURCE"),
    ],
    "Upload",
)
