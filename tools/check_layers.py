"""Fails when a file includes from a folder that its folder's line in layers.txt does not list."""
import pathlib
import re
import subprocess
import sys

allowed = {}
for line in pathlib.Path("layers.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        folder, below = line.split(":")
        allowed[folder] = {folder, *below.split()}


def room_of(path):
    """The longest listed folder that holds `path`; generated proto headers are `protos`."""
    if path.startswith("tidemill/"):
        return "protos"
    parts = path.split("/")
    for size in (2, 1):
        folder = "/".join(parts[:size])
        if len(parts) > size and folder in allowed:
            return folder
    return None


files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
problems = []
for name in files:
    room = room_of(name)
    if room is None:
        if name.split("/")[0] not in {"tools", "docs", "benchmarks"}:
            problems.append(f"{name}: its folder is not in layers.txt")
        continue
    for number, text in enumerate(pathlib.Path(name).read_text().splitlines(), 1):
        found = re.match(r'#include "([^"]+)"', text)
        target = room_of(found[1]) if found else None
        if target and target not in allowed[room]:
            # A test may stand up what it tests against.
            is_test = name.endswith("_test.cc") or "/testing/" in name
            if is_test and target in allowed["tests"]:
                continue
            problems.append(f"{name}:{number}: {room}/ may not include {target}/")
print("\n".join(problems) or f"layers: {len(files)} files keep to layers.txt")
sys.exit(bool(problems))
