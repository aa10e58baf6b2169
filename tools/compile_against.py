"""Checks the syntax of every file that includes torch against another version's headers.

Usage: compile_against.py compile_commands.json INCLUDE_FOLDER VERSION. What has been found sound with a version is not
looked at again until it changes (kept_results.py).
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import kept_results

commands = json.loads(pathlib.Path(sys.argv[1]).read_text())
headers = pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent


def command_of(entry):
    """The entry's own command, less its torch folders, precompiled header and output."""
    words = shlex.split(entry["command"])
    if "ccache" in words[0]:
        words = words[1:]
    kept, skip = [], 0
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if skip:
            skip -= 1
        elif word in ("-o", "-c"):
            skip = 1
        elif word in ("-isystem", "-idirafter", "-include") and re.search(r"torch|cmake_pch", following):
            skip = 1
        elif word != "-Winvalid-pch":
            kept.append(word)
    folders = [headers, headers / "torch/csrc/api/include"]
    return kept + [w for f in folders for w in ("-idirafter", str(f))] + ["-fsyntax-only", entry["file"]]


@functools.cache
def includes_torch(name):
    """Whether a file includes torch, itself or through a header of the project."""
    path = pathlib.Path(name)
    if not path.exists():
        return False
    for include in re.findall(r'#include [<"]([^">]+)[">]', path.read_text()):
        if include.startswith(("torch/", "c10/", "ATen/")) or includes_torch(str(ROOT / include)):
            return True
    return False


def check(entry):
    result = subprocess.run(command_of(entry), cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], result.returncode, result.stderr


entries = [e for e in commands if e["file"].startswith(str(ROOT)) and includes_torch(e["file"])]
if not entries:
    print("no file includes torch: was the build configured without it?")
    sys.exit(1)
kept = kept_results.KeptResults("other-torch", pathlib.Path(sys.argv[1]).resolve().parent, sys.argv[3],
                                left_out=re.compile(r"/torch/include/|/cmake_pch[.]"))
keys = {e["file"]: kept.key(e) for e in entries}
to_check = [e for e in entries if not kept.has(keys[e["file"]])]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, to_check))
kept.add([keys[name] for name, status, _ in results if status == 0])
kept.drop_old()
failed = [r for r in results if r[1]]
for name, _, errors in failed:
    print(f"{name} does not compile against {headers}:\n{errors[:3000]}")
print(f"torch {sys.argv[3]}: {len(entries)} units, {len(to_check)} of them new or changed, {len(failed)} do not compile")
sys.exit(bool(failed))
