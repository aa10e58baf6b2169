#!/usr/bin/env python3
"""Runs ctest. A test that fails is run a second time, alone: a test that passes then is named as flaky and does not fail the run.

Usage: run_tests.py BUILD [--parallel N] [CTEST_OPTION...]
       run_tests.py BUILD --under-load [--rounds N]   beside busy processes; what fails is printed, and run no second time
       run_tests.py BUILD --slowest                   prints the ten slowest tests of the last run

Writes what the last run said to BUILD/Testing/tests.xml, and the output of a flaky test to BUILD/Testing/flaky/.
"""
import argparse
import contextlib
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import test_failures

# With more failures than these, something is broken that a second run does not fix.
MOST_RUN_AGAIN = 8
BUSY_PROCESSES = 20
SLOWEST = 10
PR_SET_PDEATHSIG = 1
# Five times what the longest program takes beside others: it catches what hangs, and nothing else.
MOST_SECONDS = 600


class Run:
    """One run of ctest: its exit status, and the seconds and the result of each test."""

    def __init__(self, build: pathlib.Path, options: list[str]):
        self.log = build / "Testing/Temporary/LastTest.log"
        report = build / "Testing/tests.xml"
        report.unlink(missing_ok=True)
        # Threads of libtorch that wait for one another wait in the kernel: there are more of them than cores.
        environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
        self.status = subprocess.call(
            ["ctest", "--test-dir", build, "--timeout", str(MOST_SECONDS), "--output-junit", report, *options], env=environment)
        self.tests = read(report)
        self.failed = [name for name, (result, _) in self.tests.items() if result == "fail"]
        self.num_skipped = sum(result not in ("run", "fail") for result, _ in self.tests.values())

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def read(report: pathlib.Path) -> dict[str, tuple[str, float]]:
    if not report.exists():
        return {}
    cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    return {case.attrib["name"]: (case.attrib["status"], float(case.attrib["time"])) for case in cases}


def slowest(build: pathlib.Path) -> str:
    tests = sorted(read(build / "Testing/tests.xml").items(), key=lambda test: -test[1][1])[:SLOWEST]
    return "\n".join(f"{seconds:8.1f} s  {name}" for name, (_, seconds) in tests)


def run_alone(build: pathlib.Path, first: Run) -> list[str]:
    """Runs the failed tests of a run again. Returns those that fail again."""
    kept = build / "Testing/flaky"
    kept.mkdir(parents=True, exist_ok=True)
    output = first.output()
    report = (build / "Testing/tests.xml").read_bytes()
    again = []
    for name in first.failed:
        print(f"\n{name} failed and is run a second time, alone", flush=True)
        second = Run(build, ["--output-on-failure", "-R", f"^{re.escape(name)}$"])
        if second.status != 0:
            again.append(name)
            continue
        log = kept / f"{name}.log"
        log.write_text(output, encoding="utf-8")
        print(f"\nflaky: {name}\nIt failed once, and passed when it was run alone. The output of the failure is in {log}:",
              *test_failures.told(output, name), sep="\n", flush=True)
    (build / "Testing/tests.xml").write_bytes(report)
    return again


@contextlib.contextmanager
def busy(count: int):
    """Keeps the processors busy with this many processes, which end with this one."""
    def die_with_parent():
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    processes = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"], preexec_fn=die_with_parent)  # pylint: disable=W1509
                 for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_under_load(build: pathlib.Path, rounds: int, options: list[str]) -> int:
    failed: dict[str, int] = {}
    for number in range(1, rounds + 1):
        began = time.monotonic()
        with busy(BUSY_PROCESSES):
            run = Run(build, ["--quiet", *options])
        print(f"round {number} of {rounds}: {len(run.tests) - len(run.failed)} passed, {len(run.failed)} failed, "
              f"{time.monotonic() - began:,.0f} s beside {BUSY_PROCESSES} busy processes", flush=True)
        output = run.output()
        for name in run.failed:
            failed[name] = failed.get(name, 0) + 1
            print("\n".join(test_failures.told(output, name)), flush=True)
    for name, times in failed.items():
        print(f"failed {times} of {rounds} times under load: {name}")
    return bool(failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    # Three times as many at a time as there are cores: most of them wait for processes that they started.
    parser.add_argument("--parallel", type=int, default=3 * (os.cpu_count() or 1))
    parser.add_argument("--under-load", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slowest", action="store_true")
    options, ctest_options = parser.parse_known_args()
    build = options.build.resolve()
    if options.slowest:
        print(slowest(build))
        return 0
    parallel = ["--parallel", str(options.parallel), *ctest_options]
    if options.under_load:
        return run_under_load(build, options.rounds, parallel)
    run = Run(build, parallel)
    failed = run.failed
    # ctest fails, too, when it finds no test or cannot start one.
    broken = run.status != 0 and not failed
    if 0 < len(failed) <= MOST_RUN_AGAIN:
        output = run.output()
        failed = run_alone(build, run)
        if failed:
            print("\nWhat failed twice; of the first time:", *(line for name in failed for line in test_failures.told(output, name)), sep="\n")
    elif failed:
        print(f"\nWhat failed; it is too much to run it again:", *test_failures.told(run.output()), sep="\n")
    num_passed = len(run.tests) - len(failed) - run.num_skipped
    print(f"\n{num_passed} passed, {len(failed)} failed, {run.num_skipped} skipped")
    return bool(failed) or broken


if __name__ == "__main__":
    sys.exit(main())
