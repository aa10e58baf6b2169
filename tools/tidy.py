#!/usr/bin/env python3
"""Runs clang-tidy with .clang-tidy, and clang's thread-safety analysis, over the sources of a build.

Usage: tidy.py BUILD [--since REVISION] [--match PATTERN]. Sources that the build compiles together are looked at
together, which saves three quarters of the time. A finding in a header is printed once.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Not a finding: options of g++ that clang does not know, a precompiled header of g++, and what libstdc++ itself uses.
# Added: the thread-safety analysis, which holds ABSL_GUARDED_BY and its like to what they say.
ARGUMENTS = ("-Wno-unknown-warning-option", "-Wno-ignored-gch", "-Wno-deprecated-declarations", "-Wthread-safety")
FINDING = re.compile(r"^(?P<file>/[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:error|warning): ", re.MULTILINE)


def sources_of(unit: str) -> list[str]:
    """What an entry of the build compiles: a source, or those that it compiles together."""
    if "/Unity/" not in unit:
        return [unit]
    return re.findall(r'#include "([^"]+)"', pathlib.Path(unit).read_text(encoding="utf-8"))


def units_of(build: pathlib.Path) -> list[str]:
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    units = dict.fromkeys(entry["file"] for entry in entries)
    own = [unit for unit in units if any(is_ours(source) for source in sources_of(unit))]
    # The longest first, so that none is left for the end.
    return sorted(own, key=lambda unit: -sum(os.path.getsize(source) for source in sources_of(unit)))


def is_ours(path: str) -> bool:
    return path.startswith(f"{ROOT}/") and not path.startswith(f"{ROOT}/build/")


def look_at(unit: str, program: str, build: pathlib.Path) -> tuple[list[str], str]:
    """The findings of a unit, each with its notes; what clang-tidy said where it broke off."""
    folders = "|".join(sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."
                              and path != build))
    command = [program, "-p", str(build), "--quiet", f"--header-filter=^{ROOT}/({folders})/.*",
               *(f"--extra-arg={argument}" for argument in ARGUMENTS), unit]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    starts = [found.start() for found in FINDING.finditer(done.stdout)]
    findings = [done.stdout[start:end].rstrip() for start, end in zip(starts, [*starts[1:], None])]
    ended = done.returncode == 0 or bool(findings)
    return findings, "" if ended else f"{unit}: {done.stdout}{done.stderr}"


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
    units = [unit for unit in units_of(build) if re.search(options.match, " ".join(sources_of(unit)))]
    if options.since:
        changed = changed_since(options.since)
        units = [unit for unit in units if changed.intersection(sources_of(unit))]
    program = str(ROOT / ".venv/bin/clang-tidy")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda unit: look_at(unit, program, build), units))
    findings = dict.fromkeys(finding for found, _ in results for finding in found)
    places = {FINDING.match(finding).group(0): finding.replace(f"{ROOT}/", "") for finding in findings}
    broken = [said for _, said in results if said]
    print("\n".join([*sorted(places.values()), *broken]), end="\n" if places or broken else "")
    print(f"clang-tidy: {sum(len(sources_of(unit)) for unit in units)} sources, {len(places)} findings")
    sys.exit(bool(places or broken) or (not units and not options.since))


if __name__ == "__main__":
    main()
