"""Fails when a file includes from a folder that its folder's line in layers.txt does not list, when that list
has a circle, or when a folder has grown beyond a room."""
import collections
import pathlib
import re
import subprocess
import sys

MOST_FILES = 40
MOST_ROOMS = 16  # In one service.
# Folders of parts of one kind, each with a file of its own.
OF_ONE_KIND = {"cli/commands", "evaluator/measures", "selector/policies", "supervisor/statistics",
               "supervisor/triggers", "trainer_server/downsampling/methods", "transform/ops"}

allowed = {}
for line in pathlib.Path("layers.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        folder, below = line.split(":")
        allowed[folder] = {folder, *below.split()}


def room_of(path):
    """The folder of `path`, or of what is tested there; generated proto headers are `protos`."""
    if path.startswith("tidemill/"):
        return "protos"
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in allowed:
            return "/".join(parts)
        if parts[-1] != "testing" and parts[0] not in {"tests", "benchmarks"}:
            break
        parts.pop()
    return None


def circle():
    """Rooms that include one another, or nothing."""
    below, left = set(), {room: allowed[room] - {room, "*"} for room in allowed}
    while ready := {room for room, rooms in left.items() if rooms <= below | {"protos"}}:
        below |= ready
        left = {room: rooms for room, rooms in left.items() if room not in ready}
    return sorted(left)


files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
files = [name for name in files if pathlib.Path(name).exists()]
problems = [f"layers.txt: a circle, or an unknown room, among {', '.join(circle())}"] if circle() else []
size = collections.Counter()
for name in files:
    room = room_of(name)
    # A test may stand up what it tests against.
    is_test = name.endswith("_test.cc") or "/testing/" in name
    if room is None:
        if name.split("/")[0] not in {"tools", "docs"}:
            problems.append(f"{name}: its folder is not in layers.txt")
        continue
    if not is_test:
        size[room] += 1
    if is_test or "*" in allowed[room]:
        continue
    for number, text in enumerate(pathlib.Path(name).read_text().splitlines(), 1):
        found = re.match(r'#include "([^"]+)"', text)
        target = room_of(found[1]) if found else None
        if target and target not in allowed[room]:
            problems.append(f"{name}:{number}: {room}/ may not include {target}/")
for room, count in size.items():
    if count > MOST_FILES and room not in OF_ONE_KIND | {"tests", "benchmarks"}:
        problems.append(f"{room}/: {count} files beside tests, the limit is {MOST_FILES}: it is two rooms")
rooms = collections.Counter(room.split("/")[0] for room in allowed)
problems += [f"{service}/: {count} rooms, the limit is {MOST_ROOMS}" for service, count in rooms.items() if count > MOST_ROOMS]
print("\n".join(problems) or f"layers: {len(files)} files in {len(allowed)} rooms keep to layers.txt")
sys.exit(bool(problems))
