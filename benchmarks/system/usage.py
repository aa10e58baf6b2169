#!/usr/bin/env python3
"""Compares what runs say that they have used with what the operating system counts for the processes of their stack.

benchmarks/system/usage.py [--build FOLDER] [--pipeline FILE] [--workers] [--runs NUMBER] [--max-triggers NUMBER] [--set KEY=VALUE...]

The stack is started for this, and runs the pipeline. Before and after, /proc is read for each process of the stack: its time, and
that of its children that have ended, as jobs have. Three lines are compared: the jobs with the children of the zygotes, the workers
with their processes, less what they use without a run, and the whole. What is left is of no run: PostgreSQL, services that wait,
zygotes that load torch.
Ends with 1 where the jobs, or the workers, differ by more than 5 %, or the stages of a run from the run by more than 2 %.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from stack import Stack  # noqa: E402  pylint: disable=wrong-import-position

TICK = os.sysconf("SC_CLK_TCK")
MOST_DIFFERENCE = 0.05
MOST_OF_STAGES = 0.02
IDLE_SECONDS = 8


class Process:
    """A line of /proc."""

    def __init__(self, folder):
        text = (folder / "stat").read_text()
        name, rest = re.match(r"\d+ \((.*)\) (.*)", text, re.DOTALL).groups()
        fields = rest.split()
        self.number = int(folder.name)
        self.parent = int(fields[1])
        self.own = (int(fields[11]) + int(fields[12])) / TICK
        self.ended_children = (int(fields[13]) + int(fields[14])) / TICK
        arguments = (folder / "cmdline").read_bytes().split(b"\0")
        self.name = name
        self.is_zygote = b"--zygote" in arguments
        self.is_worker = arguments[0].endswith(b"tidemill-preprocess-worker")


def processes():
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            process = Process(folder)
        except (OSError, AttributeError):
            continue  # It has ended.
        found[process.number] = process
    return found


def stack_of(state, known):
    """The processes of a stack: those that name its folder, and their children."""
    mark = str(state).encode()
    members = set()
    for number in known:
        try:
            if mark in (pathlib.Path("/proc") / str(number) / "cmdline").read_bytes():
                members.add(number)
        except OSError:
            continue
    members.discard(os.getpid())
    grown = True
    while grown:
        more = {number for number, process in known.items() if process.parent in members} - members
        grown = bool(more)
        members |= more
    return [known[number] for number in sorted(members)]


def seconds_of(members):
    """What the operating system counts: of jobs, of workers, of everything."""
    jobs = sum(process.ended_children for process in members if process.is_zygote)
    zygotes = {process.number for process in members if process.is_zygote}
    jobs += sum(process.own + process.ended_children for process in members if process.parent in zygotes)
    workers = sum(process.own for process in members if process.is_worker)
    return {"jobs": jobs, "workers": workers,
            "all": sum(process.own + process.ended_children for process in members)}


def costs_of(run):
    costs = run["costs"]
    total = costs["total"]
    by_stage = sum(stage["processor_seconds"] for stage in costs["stages"].values())
    return {"jobs": total["job_seconds"], "workers": total["worker_seconds"], "services": total["service_seconds"],
            "all": total["processor_seconds"], "stages": by_stage}


def difference(one, other):
    return abs(one - other) / max(one, other, 1e-9)


def idle_rates(state):
    """What a stack without a run uses, in seconds a second."""
    time.sleep(2)  # It has only just started.
    before = seconds_of(stack_of(state, processes()))
    time.sleep(IDLE_SECONDS)
    after = seconds_of(stack_of(state, processes()))
    return {name: (after[name] - before[name]) / IDLE_SECONDS for name in before}


def measure(options, stack):
    arguments = ["run", options.pipeline, "--json"]
    if options.max_triggers:
        arguments += ["--max-triggers", str(options.max_triggers)]
    for value in options.set + (["preprocess.workers={}"] if options.workers else []):
        arguments += ["--set", value]
    state = stack.folder / "state"
    idle = idle_rates(state)
    before = seconds_of(stack_of(state, processes()))
    begun = time.monotonic()
    sums = {"jobs": 0.0, "workers": 0.0, "services": 0.0, "all": 0.0, "stages": 0.0}
    for number in range(options.runs):
        costs = costs_of(json.loads(stack.call(*arguments, "--set", f"training.seed={number + 1}")))
        sums = {name: value + costs[name] for name, value in sums.items()}
    seconds = time.monotonic() - begun
    after = seconds_of(stack_of(state, processes()))
    return sums, {name: after[name] - before[name] for name in before}, {name: rate * seconds for name, rate in idle.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--pipeline", type=pathlib.Path, default=ROOT / "pipelines" / "quickstart" / "pipeline.yaml")
    parser.add_argument("--workers", action="store_true", help="preprocessing workers prepare the samples")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--max-triggers", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], help="as of `tidemill run`")
    options = parser.parse_args()
    with Stack(options.build / "tidemill") as stack:
        runs, counted, idle = measure(options, stack)
    failed = False
    print(f"{'':24} {'runs say':>10} {'system':>10} {'apart':>7}")
    print(f"{'jobs':24} {runs['jobs']:8.2f} s {counted['jobs']:8.2f} s {100 * difference(runs['jobs'], counted['jobs']):5.1f} %")
    failed |= difference(runs["jobs"], counted["jobs"]) > MOST_DIFFERENCE
    if options.workers:
        # Between two jobs they belong to none.
        least, most = counted["workers"] - idle["workers"], counted["workers"]
        apart = difference(runs["workers"], min(max(runs["workers"], least), most))
        failed |= apart > MOST_DIFFERENCE
        print(f"{'workers':24} {runs['workers']:8.2f} s {most:8.2f} s {100 * apart:5.1f} %  of which idle would be {idle['workers']:.2f} s")
    print(f"{'services, for runs':24} {runs['services']:8.2f} s")
    print(f"{'everything':24} {runs['all']:8.2f} s {counted['all']:8.2f} s")
    rest = counted["all"] - runs["all"]
    print(f"{'of no run':24} {'':>10} {rest:8.2f} s {100 * rest / counted['all']:5.1f} %  of which idle would be {idle['all']:.2f} s")
    apart = difference(runs["stages"], runs["all"])
    failed |= apart > MOST_OF_STAGES
    print(f"{'stages, added up':24} {runs['stages']:8.2f} s {'':>10} {100 * apart:5.1f} %")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
