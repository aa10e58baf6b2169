#!/usr/bin/env python3
"""Runs benchmarks and keeps what they say.

tools/bench.py [--build FOLDER] [--results FOLDER] [--scale [--sizes 1e3,1e4]] [NAME]

NAME: only the figure, or the program, of that name. Writes benchmarks/results/latest.json; with
--scale each figure is measured at 10^5, 10^6 and 10^7 samples, or other sizes, and goes to
results/scale.json.
A figure whose greatest ratio is more than 1.3 times its least says so and is run again; the
steadier of the two runs is kept. tools/pages makes docs/performance.md of both files.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

from turns import STEADY, keep, spread

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SIZES = "1e5,1e6,1e7"


def programs(build, name):
    found = sorted((build / "bin").glob("*_bench"))
    if name:
        exact = [path for path in found if path.name == f"{name}_bench"]
        found = exact or [path for path in found if name.startswith(path.name[: -len("_bench")])]
    if not found:
        sys.exit(f"no benchmark in {build / 'bin'} is called {name or '*_bench'}")
    return found


def run_once(program, samples):
    environment = dict(os.environ)
    if samples:
        environment["TIDEMILL_BENCH_SAMPLES"] = str(samples)
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode != 0:
        print(f"{program.name} failed with exit code {done.returncode}", file=sys.stderr)
        return None
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def run(program, samples=None):
    """The results of a program, each of its steadiest run; None when it failed."""
    results = run_once(program, samples)
    if results is None or all(spread(result) <= STEADY for result in results):
        return results
    for result in results:
        if spread(result) > STEADY:
            print(f"{result['name']}: the ratios differ by {spread(result):.2f}, run again", file=sys.stderr)
    again = run_once(program, samples)
    if again is None:
        return results
    by_name = {result["name"]: result for result in again}
    return [min(result, by_name.get(result["name"], result), key=spread) for result in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("name", nargs="?", default="")
    arguments = parser.parse_args()
    scaled = {figure["name"] for figure in json.loads((ROOT / "benchmarks/figures.json").read_text()) if figure["scale"]}
    sizes = [int(float(size)) for size in arguments.sizes.split(",")] if arguments.scale else [None]
    failed = False
    for program in programs(arguments.build, arguments.name):
        if arguments.scale and program.name[: -len("_bench")] not in scaled:
            continue
        for samples in sizes:
            results = run(program, samples)
            if results is None:
                failed = True
            elif arguments.scale:
                results = [{**result, "samples": samples} for result in results]
                keep(arguments.results / "scale.json", results, lambda entry: (entry["name"], entry["samples"]))
            else:
                keep(arguments.results / "latest.json", results, lambda entry: entry["name"])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
