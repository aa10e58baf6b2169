#!/usr/bin/env python3
"""Runs a command of the build and adds its processor seconds and its output to a log.

Usage: step_cost.py LOG COMMAND...; for CMAKE_CXX_COMPILER_LAUNCHER.
"""
import os
import resource
import subprocess
import sys


def main() -> int:
    log, command = sys.argv[1], sys.argv[2:]
    status = subprocess.call(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = command[command.index("-o") + 1] if "-o" in command else command[-1]
    line = f"{used.ru_utime + used.ru_stime:.2f}\t{used.ru_maxrss // 1024}\t{made}\n"
    with open(log, "a", encoding="utf-8") as file:  # One write of a line: steps run side by side.
        file.write(line)
    return status


if __name__ == "__main__":
    sys.exit(main())
