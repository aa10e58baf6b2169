#!/usr/bin/env python3
"""Prints what failed in the last run of ctest, and only that: logs of programs bury it.

Usage: test_failures.py BUILD_FOLDER
"""
import re
import sys
from pathlib import Path

MOST_LINES = 30  # The lines of one failure.


def failures(output: str) -> list[str]:
    """The failed expectations of a test program, each with its test."""
    found, test = [], ""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if started := re.match(r"\[ RUN +\] (.*)", line):
            test = started[1]
        if re.search(r": Failure$|^terminate called|ERROR: (Address|Thread|Leak)Sanitizer|^WARNING: ThreadSanitizer", line):
            text = [line]
            for below in lines[number + 1:number + MOST_LINES]:
                if not below or below.startswith("[") or re.search(r"^\d{4}-\d\d-\d\dT|: Failure$", below):
                    break
                text.append(below)
            found.append("\n    ".join([test, *text]))
    return found


def told(log: str, only: str = "") -> list[str]:
    """What a log of ctest says about the tests that failed, or of one of them."""
    lines = []
    for part in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        name, output = part.split("\n", 1)
        result = re.search(r"^Test (?!time|Pass)\w.*$", output, re.M)
        if result is None or (only and name != only):
            continue
        output = output.partition("<end of output>")[0]
        found = failures(output)
        lines += [f"\n== {name}: {result[0]}", *(found or ["no expectation failed; its last lines:\n    "
                                                          + "\n    ".join(output.splitlines()[-12:])])]
    return lines


def main() -> None:
    log = Path(sys.argv[1]) / "Testing/Temporary/LastTest.log"
    print("\nWhat failed:", *told(log.read_text(encoding="utf-8", errors="replace")), sep="\n")


if __name__ == "__main__":
    main()
