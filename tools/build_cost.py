#!/usr/bin/env python3
"""Builds from nothing without a compiler cache and prints the processor seconds that it takes.

Usage: build_cost.py [--programs] [--build DIR] [CMAKE_OPTION...]. First what `make quickstart` needs, then everything
(unless --programs). The totals are user and system time of all steps; the list is of steps that compile.
"""
import argparse
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEAREST = 20


def ninja(build: Path, target: str) -> tuple[float, float]:
    """Builds a target; returns processor seconds of all its steps, and seconds by the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(["cmake", "--build", build, "--target", target], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - began


def read_steps(log: Path) -> list[tuple[float, int, str]]:
    steps = []
    for line in log.read_text(encoding="utf-8").splitlines():
        seconds, megabytes, made = line.split("\t")
        steps.append((float(seconds), int(megabytes), made))
    return sorted(steps, reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", action="store_true", help="only what `make quickstart` builds")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cost", help="folder to build in; removed first")
    options, cmake_options = parser.parse_known_args()
    shutil.rmtree(options.build, ignore_errors=True)
    options.build.mkdir(parents=True)
    log = options.build / "steps.tsv"
    log.touch()
    torch = subprocess.run([ROOT / "tools/setup.sh", "--torch-dir"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(
        ["cmake", "--preset", "release", "-B", options.build, f"-DTORCH_DIR={torch}",
         f"-DCMAKE_CXX_COMPILER_LAUNCHER={ROOT}/tools/step_cost.py;{log}", *cmake_options],
        check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    os.environ["CCACHE_DISABLE"] = "1"
    total = 0.0
    for target in ["programs"] if options.programs else ["programs", "all"]:
        used, clock = ninja(options.build, target)
        total += used
        name = "programs" if target == "programs" else "everything"
        print(f"{name:12}{total:8,.0f} processor seconds ({clock:,.0f} s more by the clock, {os.cpu_count()} cores)", flush=True)
    steps = read_steps(log)
    print(f"{len(steps)} sources compiled, {sum(step[0] for step in steps):,.0f} processor seconds of them, "
          f"{max(step[1] for step in steps):,} MB at most. The most expensive:")
    for seconds, megabytes, made in steps[:DEAREST]:
        print(f"{seconds:8.1f} s {megabytes:6,} MB  {made}")


if __name__ == "__main__":
    main()
