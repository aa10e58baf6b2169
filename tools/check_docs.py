"""Checks the documents: links and named files exist, the folder table of ARCHITECTURE.md is true, every service has its
section in the reference of the system configuration, the changelog begins with the version of the programs, the first hour in
the code opens files and functions that are there, and there are few generated lines."""
import pathlib
import re
import subprocess
import sys

tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
documents = [pathlib.Path(f) for f in tracked if f.endswith(".md") and pathlib.Path(f).exists()]
problems = []
for document in documents:
    text = document.read_text()
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not (document.parent / target).exists():
            problems.append(f"{document}: link to {target}, which is not there")

table = set(re.findall(r"^\| `([a-z_.]+)/` \|", pathlib.Path("ARCHITECTURE.md").read_text(), re.M))
folders = {f.split("/")[0] for f in tracked if "/" in f} - {".ci"}
for missing in sorted(folders - table):
    problems.append(f"ARCHITECTURE.md: no line for {missing}/")
for gone in sorted(table - folders):
    problems.append(f"ARCHITECTURE.md: {gone}/ does not exist")

for folder in sorted(folders - {"docs", "cmake", "protos", "tools"}):
    if not (pathlib.Path(folder) / "README.md").exists():
        problems.append(f"{folder}/: no README.md")

# The README of a service names its rooms.
rooms = re.findall(r"^(\w+)/(\w+):", pathlib.Path("layers.txt").read_text(), re.M)
for service, room in rooms:
    if f"{service}/{service}_service.h" in tracked and not re.search(rf"`{room}/", (pathlib.Path(service) / "README.md").read_text()):
        problems.append(f"{service}/README.md: no word about {room}/")

# What programs write, and what was measured: more than this, and a change of it hides the changes that people make.
MOST_GENERATED = 12_000
GENERATED = re.compile(r"docs/reference/|docs/pictures/.*\.svg|benchmarks/results/|docs/(benchmarks|policies|selections|performance|peers)\.md|deploy/libraries\.txt|tests/testdata/expressions_of_duckdb\.jsonl")
generated = {f: pathlib.Path(f).read_bytes().count(b"\n") for f in tracked if GENERATED.match(f) and pathlib.Path(f).exists()}
if sum(generated.values()) > MOST_GENERATED:
    longest = sorted(generated, key=generated.get, reverse=True)[:3]
    problems.append(f"{sum(generated.values()):,} generated lines, the limit is {MOST_GENERATED:,}; the most are in {', '.join(longest)}")

records = sorted(pathlib.Path("docs/decisions").glob("*/[0-9]*.md"))
for record in records:
    text = record.read_text()
    for heading in ("## Context", "## Decision", "## Consequences"):
        if heading not in text:
            problems.append(f"{record}: no '{heading}'")

def read(name):
    return pathlib.Path(name).read_text(errors="replace")


# Each row of the table of what is read names tests, and these exist.
sources = "".join(read(f) for f in tracked if f.endswith("_test.cc") and pathlib.Path(f).exists())
tests = {".".join(name) for name in re.findall(r"TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)", sources)}
guide = "docs/guides/bring-your-data.md"
for row in re.findall(r"^\| .* \| (.*) \|$", read(guide).partition("## What is read, and what is refused")[2], re.M):
    named = re.findall(r"`(\w+\.\w+)`", row)
    if not named and row != "tests":
        problems.append(f"{guide}: a row names no test: {row}")
    problems.extend(f"{guide}: there is no test {name}" for name in named if name not in tests)


def structs(text):
    """(name, body) of each struct that begins at the left margin."""
    return re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S)


# The reference of the system configuration has a section for each struct that a service reads its configuration into, and
# in it every key. The calls that read it show what is read; the files named *_config.h show what exists.
code = [f for f in tracked if f.endswith((".h", ".cc")) and not f.endswith("_test.cc") and pathlib.Path(f).exists()
        and not f.startswith("python/")]  # Which reads sections of pipelines.
section_of = {}
for name in code:
    for kind, section in re.findall(r"\bReadSection<(?:\w+::)*(\w+)>\([^;]*?\"(\w+)\"\s*\)", read(name)):
        section_of[kind] = section
bodies = {kind: body for name in code if name.endswith(".h") for kind, body in structs(read(name)) if kind in section_of}
declared = {kind: (name, body) for name in code if name.endswith("_config.h") for kind, body in structs(read(name))
            if "Fields(" in body}
bodies.update({kind: body for kind, (_, body) in declared.items()})
for kind, body in list(bodies.items()):
    for inner, member in re.findall(r"^  (?:\w+::)*(\w+) (\w+)(?: = \{\})?;", body, re.M):
        if inner in declared and kind in section_of:
            section_of[inner] = f"{section_of[kind]}.{member}"
reference = {title: text for title, text in
             re.findall(r"^## `([\w.]+)`\n(.*?)(?=^## |\Z)", read("docs/reference/system.md"), re.M | re.S)}
for kind, (name, _) in declared.items():
    if kind not in section_of:
        problems.append(f"{name}: no service reads {kind} with config::ReadSection")
for kind, section in sorted(section_of.items()):
    if section not in reference:
        problems.append(f"docs/reference/system.md: no section `{section}` ({kind}); name it in cli/reference_main.cc")
        continue
    for key in re.findall(r"\bfield\(\"(\w+)\"", bodies[kind]):
        if f"| `{key}` |" not in reference[section]:
            problems.append(f"docs/reference/system.md: `{section}` has no `{key}` ({kind}); run `make docs`")
if len(section_of) < 8:
    problems.append(f"tools/check_docs.py: finds only {len(section_of)} sections of the system configuration")

# The files and functions that the first hour in the code opens exist: `path`, `Function()`, ... up
# to the colon.
guide = read("docs/guides/first-hour.md")
items = re.findall(r"^- `[^`]*/.*(?:\n +.*)*", guide, re.M)
stations = [re.sub(r"\n +", " ", item).split("`: ")[0] + "`" for item in items]
for station in stations:
    name, *functions = re.findall(r"`([^`]+)`", station)
    if not pathlib.Path(name).exists():
        problems.append(f"docs/guides/first-hour.md: {name} is not there")
        continue
    for function in functions:
        if not re.search(rf"\b{re.escape(function.removesuffix('()'))}\b", read(name)):
            problems.append(f"docs/guides/first-hour.md: {name} has no {function}")
if len(stations) < 40:
    problems.append(f"tools/check_docs.py: finds only {len(stations)} stations in docs/guides/first-hour.md")

# The newest released version of the changelog is the one that programs tell.
released = re.search(r"^## \[(\d[\w.]*)\] - \d{4}-\d\d-\d\d$", read("CHANGELOG.md"), re.M)
version = re.search(r'kVersion\[\] = "(.*?)"', read("base/version.h"))[1]
if not released or released[1] != version:
    problems.append(f"CHANGELOG.md: its newest released version is {released and released[1]}, base/version.h says {version}")
print("\n".join(problems) or f"documents: {len(documents)} files, {len(records)} decision records")
sys.exit(bool(problems))
