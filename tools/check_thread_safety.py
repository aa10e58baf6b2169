"""clang's thread-safety analysis of every source that locks: a field that is ABSL_GUARDED_BY a mutex is used with
that mutex held, and no lock is taken twice.

Usage: check_thread_safety.py compile_commands.json
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOCKS = re.compile(r"\bMutexLock\b|\bABSL_(GUARDED_BY|LOCKS_EXCLUDED|EXCLUSIVE_LOCKS_REQUIRED)\b")


def sources_of(entry):
    """What an entry compiles: a source, or those that it compiles together."""
    path = pathlib.Path(entry["file"])
    if "/Unity/" not in entry["file"]:
        return [path]
    return [pathlib.Path(name) for name in re.findall(r'#include "([^"]+)"', path.read_text())]


def locks(source):
    if not source.is_relative_to(ROOT) or re.search(r"_test\.cc$|/testing/|/tests/|/benchmarks/", str(source)):
        return False
    return any(LOCKS.search(path.read_text()) for path in (source, source.with_suffix(".h")) if path.exists())


def command_of(entry):
    """The entry's own command for clang, less its precompiled header and output."""
    words = shlex.split(entry["command"])
    if "ccache" in words[0] or "step_cost" in words[0]:
        words = words[next(i for i, word in enumerate(words) if word.endswith("c++")):]
    kept, skip = [], False
    for index, word in enumerate(words[1:], 1):
        following = words[index + 1] if index + 1 < len(words) else ""
        if skip:
            skip = False
        elif word in ("-o", "-c") or (word == "-include" and "cmake_pch" in following):
            skip = True
        elif not word.startswith("-W"):
            kept.append(word)
    return ["clang++", *kept, "-fsyntax-only", "-w", "-Wthread-safety", "-Werror=thread-safety", entry["file"]]


def check(entry):
    done = subprocess.run(command_of(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
    return entry["file"], done.returncode, done.stderr


commands = json.loads(pathlib.Path(sys.argv[1]).read_text())
entries = [entry for entry in commands if any(locks(source) for source in sources_of(entry))]
count = len({source for entry in entries for source in sources_of(entry) if locks(source)})
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = [result for result in pool.map(check, entries) if result[1]]
for name, _, errors in failed:
    print(f"{name}:\n" + "\n".join(errors.splitlines()[:20]))
print(f"thread safety: {count} sources that lock, {len(failed)} findings")
sys.exit(bool(failed) or not count)
