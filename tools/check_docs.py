"""Checks the documents: links and named files exist, the folder table of ARCHITECTURE.md is true, the
reference is made from all configurations."""
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

records = sorted(pathlib.Path("docs/decisions").glob("[0-9]*.md"))
for record in records:
    text = record.read_text()
    for heading in ("## Context", "## Decision", "## Consequences"):
        if heading not in text:
            problems.append(f"{record}: no '{heading}'")
# The reference of the system configuration has a section for each service that has one.
reference = pathlib.Path("cli/reference_main.cc").read_text()
for header in (f for f in tracked if f.endswith(".h") and pathlib.Path(f).exists()):
    section = re.match(r"// The `(\w+)` section of the system configuration", pathlib.Path(header).read_text())
    if section and f'field("{section[1]}"' not in reference:
        problems.append(f"cli/reference_main.cc: no section `{section[1]}`, which {header} describes")
print("\n".join(problems) or f"documents: {len(documents)} files, {len(records)} decision records")
sys.exit(bool(problems))
