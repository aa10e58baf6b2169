#!/usr/bin/env python3
"""A program for `engine: {backend: {type: command, program: ...}}`: processes of this host.

To start them elsewhere, put `ssh HOST` before the command, or ask a cloud. What is kept is one file for each process, with
its id, in $PROCESS_ENGINE_FOLDER. engine/backends/command.cc says what Tidemill writes and reads.
"""
import json
import os
import signal
import subprocess
import sys


def process_of(path):
    """The process that the file names, if it runs."""
    try:
        with open(path, encoding="utf-8") as file:
            number = int(file.read())
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            return number if file.read().rsplit(")", 1)[1].split()[0] != "Z" else None
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None


def main():
    verb, stack, group = sys.argv[1:4]
    folder = os.path.join(os.environ.get("PROCESS_ENGINE_FOLDER", os.path.expanduser("~/.tidemill-engine")), stack, group)
    os.makedirs(folder, exist_ok=True)
    if verb == "list":
        running = {number: process_of(os.path.join(folder, number)) for number in os.listdir(folder)}
        print(json.dumps([{"number": int(number), "phase": "running", "id": str(process), "host": os.uname().nodename}
                          for number, process in running.items() if process]))
        return
    path = os.path.join(folder, sys.argv[4])
    process = process_of(path)
    if verb == "start" and not process:
        what = json.load(sys.stdin)
        started = subprocess.Popen(what["command"], env={**os.environ, **what["variables"]}, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(started.pid))
    elif verb == "end" and process:
        os.kill(process, signal.SIGTERM)


main()
