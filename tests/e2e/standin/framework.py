"""Framework script of the stand-in platforms: headers by -I, as SDKs do it, and a main()."""

from __future__ import annotations

from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()
folder = str(Path(env.PioPlatform().get_dir(), "frameworks", env["PIOFRAMEWORK"][0]))
env.Append(CPPPATH=[folder])
env.Prepend(LIBS=[env.BuildLibrary(str(Path("$BUILD_DIR", "framework")), folder)])
