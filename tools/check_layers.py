"""Holds files and CMake targets to layers.txt. Fails when a file includes, or a target links, from a folder that its
folder's line does not list; when a line lists what no file includes, is above what it lists, or occurs
twice; or when a folder has grown beyond a room."""
import collections
import pathlib
import re
import subprocess
import sys

MOST_FILES = 40
MOST_ROOMS = 18  # In one service.
# Folders of parts of one kind, each with its own file.
OF_ONE_KIND = {"evaluator/measures", "selector/policies", "supervisor/statistics", "supervisor/triggers"}

# What a target links beyond its room: a list of parts, with the interface that others see (decision 27).
OPEN_CHOICES = {("training_spec", "downsampling_list"), ("transform", "transform_ops")}

allowed = {}
problems = []
for line in pathlib.Path("layers.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        folder, below = line.split(":")
        if folder in allowed:
            problems.append(f"layers.txt: {folder} has two lines")
        # A room is below all that it includes, so that there is no circle.
        problems += [f"layers.txt: {folder} is above {room}, which it lists" for room in below.split()
                     if room not in {*allowed, "protos", "*"}]
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


Target = collections.namedtuple("Target", "file rooms links")


def closest_room(folder):
    """The room that `folder` is, or is within."""
    return next((str(path) for path in [folder, *folder.parents] if str(path) in allowed), str(folder))


def words_of(call, keywords):
    """The words of a CMake call by the keyword before them."""
    words, keyword = collections.defaultdict(list), ""
    for word in call.split():
        if word in keywords:
            keyword = word
        else:
            words[keyword].append(word)
    return words


def targets():
    """The libraries of the rooms by name, without those of tests."""
    found = {"protos": Target("", {"protos"}, [])}
    for name in subprocess.run(["git", "ls-files", "*CMakeLists.txt"], capture_output=True, text=True,
                               check=True).stdout.split():
        here = pathlib.PurePosixPath(name).parent
        text = re.sub(r"#[^\n]*", "", pathlib.Path(name).read_text())
        for call in re.findall(r"tidemill_library\(([^)]*)\)", text):
            words = words_of(call, {"NAME", "FOLDER", "SRCS", "HDRS", "DEPS", "EXCEPT", "ONE_BY_ONE"})
            sources = [word for word in words["SRCS"] + words["HDRS"] if "$" not in word]
            folders = [here / folder for folder in words["FOLDER"]] or [(here / source).parent for source in sources] or [here]
            if "testing/" not in call and here.parts[0] not in {"tests", "benchmarks"}:
                links = [word.removeprefix("tidemill::") for word in words["DEPS"] if word.startswith("tidemill::")]
                found[words["NAME"][0]] = Target(name, {closest_room(folder) for folder in folders}, links)
        for service in re.findall(r"tidemill_migrations\((\w+)\)", text):
            found[f"{service}_migrations"] = Target(name, {service}, [])
        if here.parts[:1] in {("tests",), ("benchmarks",)}:
            continue
        for target, links in re.findall(r"target_link_libraries\((?:tidemill_)?(\w+) (?:INTERFACE|PUBLIC|PRIVATE) ([^)]*)\)", text):
            links = re.findall(r"tidemill::(\w+)", links)
            found.setdefault(target, Target(name, {str(here)}, [])).links.extend(links)
    return found


def link_problems():
    """What targets link and may not. What they lack, the linker says."""
    every = targets()
    for name, target in every.items():
        may = set().union(*(allowed.get(room, set()) for room in target.rooms))
        for link in target.links:
            own = link.endswith("_migrations") and target.file.startswith(link.removesuffix("_migrations"))
            umbrella = name == "base"  # base/logs, threads and times for all who link base.
            if link in every and not every[link].rooms & may and not own and not umbrella and (name, link) not in OPEN_CHOICES:
                yield f"{target.file}: {name} may not link {link}: layers.txt does not list {', '.join(every[link].rooms)}"


files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
files = [name for name in files if pathlib.Path(name).exists()]
size = collections.Counter()
includes = collections.defaultdict(set)
for name in files:
    room = room_of(name)
    # A test may start what it tests against.
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
        if target:
            includes[room].add(target)
        if target and target not in allowed[room]:
            problems.append(f"{name}:{number}: {room}/ may not include {target}/")
for room, count in size.items():
    if count > MOST_FILES and room not in OF_ONE_KIND | {"tests", "benchmarks"}:
        problems.append(f"{room}/: {count} files beside tests, the limit is {MOST_FILES}: it is two rooms")
for room, rooms in allowed.items():
    problems += [f"layers.txt: {room} lists {listed}, which it does not include" for listed in sorted(rooms - includes[room] - {room, "*"})]
problems += link_problems()
rooms = collections.Counter(room.split("/")[0] for room in allowed)
problems += [f"{service}/: {count} rooms, the limit is {MOST_ROOMS}" for service, count in rooms.items() if count > MOST_ROOMS]
print("\n".join(problems) or f"layers: {len(files)} files in {len(allowed)} rooms keep to layers.txt")
sys.exit(bool(problems))
