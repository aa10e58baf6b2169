"""The first build of a machine is configured as the second one, though set-up installs ccache in between.

usage: first_build_test.py MAKEFILE
Otherwise everything is compiled twice. Set-up, cmake and ccache are programs that write down how they are called.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "bin").mkdir()
    (folder / "tools").mkdir()
    shutil.copy(sys.argv[1], folder / "Makefile")
    for tool in ("sh", "bash", "make", "mv", "mkdir", "cat", "nproc", "cp", "env"):
        (folder / "bin" / tool).symlink_to(shutil.which(tool))
    program(folder / "cmake", 'echo "$@" >>calls; mkdir -p build\n')
    (folder / "cmake").rename(folder / "bin/cmake")
    program(folder / "tools/setup.sh", '[ "$1" ] || { [ -e bin/ccache ] || cp bin/cmake bin/ccache; }\n')
    calls = []
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    for _ in range(2):
        subprocess.run(["make", "build"], cwd=folder, check=True, env={**environment, "PATH": str(folder / "bin")})
        calls.append((folder / "calls").read_text())
        (folder / "calls").unlink()
    if calls[0] != calls[1] or "ccache" not in calls[0]:
        sys.exit(f"the second build is configured differently:\n{calls[0]}\n{calls[1]}")
print("the second build is configured like the first")
