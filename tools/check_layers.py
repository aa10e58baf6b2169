"""Holds files and CMake targets to layers.txt. Fails when a file includes, or a target links, from a folder that its
folder's line does not list; when no target compiles a test; when a line lists what no file includes, is above what it lists, or occurs
twice; when two services include from each other; or when a folder has grown beyond a room."""
import collections
import pathlib
import re
import subprocess
import sys

MOST_FILES = 40
MOST_ROOMS = 20  # In one service; those within a room count with it.

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
            words = words_of(call, {"NAME", "FOLDERS", "SRCS", "HDRS", "DEPS", "EXCEPT", "ONE_BY_ONE"})
            sources = [word for word in words["SRCS"] + words["HDRS"] if "$" not in word]
            folders = [here / folder for folder in words["FOLDERS"]] or [(here / source).parent for source in sources] or [here]
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
            if link in every and not every[link].rooms & may and not own and (name, link) not in OPEN_CHOICES:
                yield f"{target.file}: {name} may not link {link}: layers.txt does not list {', '.join(every[link].rooms)}"


def unbuilt_tests():
    """The tests that no target compiles."""
    built = set()
    for name in subprocess.run(["git", "ls-files", "*CMakeLists.txt"], capture_output=True, text=True,
                               check=True).stdout.split():
        here = pathlib.Path(name).parent
        text = re.sub(r"#[^\n]*", "", pathlib.Path(name).read_text())
        for call in re.findall(r"(?:tidemill_test|plugin_test|tidemill_files)\(([^)]*)\)", text):
            words = words_of(call, {"NAME", "SRCS", "FOLDERS", "DEPS", "LABELS", "SHARDS", "NEEDS"})
            sources = [word for kind in ("", "NAME", "SRCS") for word in words[kind]] + [f"{folder}/*_test.cc" for folder in words["FOLDERS"]]
            for source in sources:
                if "$" not in source and source.strip('"').endswith(".cc"):
                    built |= {path.resolve() for path in here.glob(source.strip('"'))}
    for name in subprocess.run(["git", "ls-files", "*_test.cc"], capture_output=True, text=True, check=True).stdout.split():
        if pathlib.Path(name).exists() and pathlib.Path(name).resolve() not in built:
            yield f"{name}: no target compiles it"


files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
files = [name for name in files if pathlib.Path(name).exists()]
includes = collections.defaultdict(set)
for name in files:
    room = room_of(name)
    # A test may start what it tests against.
    is_test = name.endswith("_test.cc") or "/testing/" in name
    if room is None:
        if name.split("/")[0] not in {"tools", "docs"}:
            problems.append(f"{name}: its folder is not in layers.txt")
        continue
    if is_test or "*" in allowed[room]:
        continue
    for number, text in enumerate(pathlib.Path(name).read_text().splitlines(), 1):
        found = re.match(r'#include "([^"]+)"', text)
        target = room_of(found[1]) if found else None
        if target:
            includes[room].add(target)
        if target and target not in allowed[room]:
            problems.append(f"{name}:{number}: {room}/ may not include {target}/")
tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
size = collections.Counter(str(pathlib.PurePosixPath(name).parent) for name in tracked if pathlib.Path(name).exists())
problems += [f"{folder}/: {count} files, the limit is {MOST_FILES}: it is two rooms" for folder, count in size.items() if count > MOST_FILES]
arrows = {(room.split("/")[0], target.split("/")[0]) for room, targets_of_room in includes.items() for target in targets_of_room}
problems += [f"{one}/ and {other}/ include from each other" for one, other in arrows if one < other and (other, one) in arrows]
for room, rooms in allowed.items():
    problems += [f"layers.txt: {room} lists {listed}, which it does not include" for listed in sorted(rooms - includes[room] - {room, "*"})]
problems += link_problems()
problems += unbuilt_tests()
rooms = collections.Counter(room.split("/")[0] for room in allowed if room.count("/") < 2)
problems += [f"{service}/: {count} rooms, the limit is {MOST_ROOMS}" for service, count in rooms.items() if count > MOST_ROOMS]
print("\n".join(problems) or f"layers: {len(files)} files in {len(allowed)} rooms keep to layers.txt")
sys.exit(bool(problems))
