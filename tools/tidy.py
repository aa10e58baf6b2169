#!/usr/bin/env python3
"""Runs clang-tidy with .clang-tidy, and clang's thread-safety analysis, over the sources of a build.

Usage: tidy.py BUILD [--since REVISION] [--match PATTERN]. Sources of many targets are looked at together
(joined_sources.py), which saves three quarters of the time. A unit that does not compile with the others is looked at
alone. A finding in a header is printed once. Units in which nothing was found are not looked at again until they change,
or what they include (kept_results.py).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import joined_sources
import kept_results

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not a finding: options of g++ that clang does not know, a precompiled header of g++, and what libstdc++ itself uses.
# Added: the thread-safety analysis, which holds ABSL_GUARDED_BY and its like to what they say.
ARGUMENTS = ("-Wno-unknown-warning-option", "-Wno-ignored-gch", "-Wno-deprecated-declarations", "-Wthread-safety")
# A name of another source hides nothing: it is only joined with this one.
SHADOWED = re.compile(r"\[clang-diagnostic-shadow\][\s\S]*?\n(?P<other>/[^:\n]+\.cc):\d+:\d+: note: previous declaration")
FINDING = re.compile(r"^(?P<file>/[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:error|warning): ", re.MULTILINE)


def sources_of(unit: str) -> list[str]:
    """What an entry of the build compiles: a source, or those that it compiles together."""
    if "/joined/" not in unit:
        return [unit]
    names = re.findall(r'#include "([^"]+)"', pathlib.Path(unit).read_text(encoding="utf-8"))
    # The others are generated.
    return [str(ROOT / name) for name in names if (ROOT / name).exists()]


def units_of(build: pathlib.Path) -> list[joined_sources.Unit]:
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    units = {entry["file"]: entry for entry in entries}
    sources = {path: sources_of(path) for path in units}
    return [joined_sources.Unit(path, entry, sources[path])
            for path, entry in units.items() if any(is_ours(source) for source in sources[path])]


def is_ours(path: str) -> bool:
    """Not a generated source, nor one of a library in .venv that the build compiles."""
    return path.startswith(f"{ROOT}/") and not path.startswith((f"{ROOT}/build/", f"{ROOT}/."))


def is_of_joining(finding: str) -> bool:
    """A source that shadows a name of another one, with which it is only joined."""
    shadowed = SHADOWED.search(finding)
    return bool(shadowed) and shadowed["other"] != FINDING.match(finding)["file"]


class Look:
    """A run of clang-tidy: the findings, each with its notes; what it said where it broke off."""

    def __init__(self, path: str, folder: pathlib.Path, build: pathlib.Path):
        names = "|".join(sorted(entry.name for entry in ROOT.iterdir() if entry.is_dir() and entry.name[0] != "."
                                and entry != build))
        command = [ROOT / ".venv/bin/clang-tidy", "-p", folder, "--quiet", f"--config-file={ROOT}/.clang-tidy",
                   f"--header-filter=^{ROOT}/({names})/.*", *(f"--extra-arg={one}" for one in ARGUMENTS), path]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        starts = [found.start() for found in FINDING.finditer(done.stdout)]
        self.findings = [done.stdout[start:end].rstrip() for start, end in zip(starts, [*starts[1:], None])]
        ended = done.returncode == 0 or bool(self.findings)
        self.findings = [finding for finding in self.findings if not is_of_joining(finding)]
        self.broken = "" if ended else f"{path}: {done.stdout}{done.stderr}"

    def compiles(self) -> bool:
        return not self.broken and not any("[clang-diagnostic-error" in finding for finding in self.findings)


def first_error(look: Look) -> str:
    return look.broken or next(one for one in look.findings if "[clang-diagnostic-error" in one)


def units_named_first(units: list[joined_sources.Unit], error: str) -> list[joined_sources.Unit]:
    """The unit whose source an error names first, if it names one."""
    places = {min(error.find(source) for source in unit.sources if source in error): unit
              for unit in units if any(source in error for source in unit.sources)}
    return [places[min(places)]] if places else []


def look_at_joined(joined: joined_sources.Joined, path: pathlib.Path, build: pathlib.Path) -> list[Look]:
    """A unit that does not compile with the others is looked at alone, and the others again without it."""
    units, looks = joined.units, []
    while len(units) > 1:
        joined_sources.write_source(units, path)
        look = Look(str(path), path.parent, build)
        if look.compiles():
            return [*looks, look]
        error = first_error(look)
        alone = units_named_first(units, error) or units
        print(f"clang-tidy: {len(units)} units do not compile together; looked at alone: "
              f"{', '.join(unit.path.removeprefix(f'{ROOT}/') for unit in alone)}\n{error}", file=sys.stderr)
        looks += [Look(unit.path, build, build) for unit in alone]
        units = [unit for unit in units if unit not in alone]
    return [*looks, *(Look(unit.path, build, build) for unit in units)]


def kept_in(build: pathlib.Path) -> kept_results.KeptResults:
    version = subprocess.run([ROOT / ".venv/bin/clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    configuration = (ROOT / ".clang-tidy").read_text(encoding="utf-8")
    return kept_results.KeptResults("clang-tidy", build, "\n".join([version, configuration, *ARGUMENTS]))


def changed_since(revision: str) -> set[str]:
    names = subprocess.run(["git", "diff", "--name-only", "--diff-filter=AMR", revision, "--", "*.cc", "*.h"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return {str(ROOT / name) for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--since", metavar="REVISION", help="only the sources changed since a revision of git")
    parser.add_argument("--match", default="", help="only sources whose path has this regular expression")
    options = parser.parse_args()
    build = options.build.resolve()
    units = [unit for unit in units_of(build) if re.search(options.match, " ".join(unit.sources))]
    if options.since:
        changed = changed_since(options.since)
        units = [unit for unit in units if changed.intersection(unit.sources)]
    kept = kept_in(build)
    keys = {unit.path: kept.key(unit.entry) for unit in units}
    to_look_at = [unit for unit in units if not kept.has(keys[unit.path])]
    # The longest first, so that none is left for the end.
    joined = sorted(joined_sources.join(to_look_at), key=lambda one: -one.cost())
    paths = joined_sources.write(joined, build / "joined")

    def look_at(one: joined_sources.Joined, path: pathlib.Path) -> list[Look]:
        looks = look_at_joined(one, path, build)
        if not any(look.findings or look.broken for look in looks):
            kept.add([keys[unit.path] for unit in one.units])
        return looks

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        looks = [look for some in pool.map(look_at, joined, paths) for look in some]
    kept.drop_old()
    findings = dict.fromkeys(finding for look in looks for finding in look.findings)
    places = {FINDING.match(finding).group(0): finding.replace(f"{ROOT}/", "") for finding in findings}
    broken = [look.broken for look in looks if look.broken]
    print("\n".join([*sorted(places.values()), *broken]), end="\n" if places or broken else "")
    num_sources, num_looked_at = (sum(len(unit.sources) for unit in some) for some in (units, to_look_at))
    print(f"clang-tidy: {num_sources} sources, {num_looked_at} of them new or changed, {len(places)} findings")
    sys.exit(bool(places or broken) or (not units and not options.since))


if __name__ == "__main__":
    main()
