"""Types the commands of the README and the guides, in their order, as a newcomer would, and fails when one fails.

usage: documented_commands.py SOURCE BUILD

A command is each line of a fenced block without a language, or of the language `sh`; of a block whose lines begin with
`$`, only these. A block that is not typed says so before it, with a reason: `<!-- not typed: REASON -->`; output is in a
block of the language `text`. Each document is typed in its own folder, which looks like a clone after the build,
the README first: the guides begin where it ends.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
# What builds and tests the tree is what this is a part of.
BUILDS = re.compile(r"make (build|test|check|sanitize|nightly|fuzz|bench|policies|selections|image_test|kube_test|slurm_test|python_test|wheel|wheel_test|install)\b")


def documents():
    """The README, then the guides in the order in which docs/README.md names them, then the others."""
    page = (source / "docs/README.md").read_text()
    named = [f"docs/{name}" for name in dict.fromkeys(re.findall(r"\]\((guides/[\w-]+\.md)", page))]
    others = sorted(str(path.relative_to(source)) for path in (source / "docs/guides").glob("*.md"))
    return ["README.md", *named, *(name for name in others if name not in named)]


def blocks(text):
    """(line, reason not to type it or None, lines) of each block of commands."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        fence = re.match(r"^```(\w*)$", lines[place])
        if not fence:
            place += 1
            continue
        end = lines.index("```", place + 1)
        if fence.group(1) in ("", "sh"):
            before = next((line for line in reversed(lines[:place]) if line), "")
            reason = re.match(r"<!-- not typed: (.*) -->$", before)
            yield place + 2, reason and reason.group(1), lines[place + 1:end]
        place = end + 1


def commands(lines):
    """The commands of a block; a line that ends in a backslash continues in the next."""
    marked = [line[2:] for line in lines if line.startswith("$ ")]
    for line in "\n".join(marked or lines).replace("\\\n", "").split("\n"):
        command = re.sub(r"\s+#.*$", "", line).strip()
        if command and not command.startswith("#"):
            yield command


def clone(folder):
    """A copy of what a clone holds, with the programs of the build."""
    folder.mkdir(parents=True)
    tracked = subprocess.run(["git", "ls-files", "-z", "pipelines", "deploy", "docs", "tests/testdata"], cwd=source,
                             capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, tracked):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, folder / name)
    (folder / "build").symlink_to(build)


def type_command(command, folder, environment):
    """The exit status and what was printed."""
    if command.startswith("make "):
        # What it would build is built.
        command = f"make --no-print-directory --old-file=programs -C {source} BUILD={build} STATE={folder}/.tidemill {command[5:]}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="documents-"))
    folder = work / "tidemill"
    clone(folder)
    states = [folder / ".tidemill", work / "state"]
    environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}", "NO_COLOR": "1", "TIDEMILL_STATE": str(states[1])}
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(name, None)
    typed, failed, left = 0, [], []
    try:
        for document in documents():
            for line, reason, lines in blocks((source / document).read_text()):
                if reason:
                    left.append(f"{document}:{line}: {reason}")
                    continue
                for command in commands(lines):
                    if BUILDS.match(command):
                        left.append(f"{document}:{line}: {command} builds or tests the tree")
                        continue
                    typed += 1
                    status, told = type_command(command, folder, environment)
                    print(f"{document}:{line}: {command}: exit {status}", flush=True)
                    if status:
                        failed.append(f"{document}:{line}: {command}\n  exit {status}\n{told[-3000:]}")
    finally:
        for state in states:
            subprocess.run([build / "bin/tidemill", "down", "--purge", "--yes", "--state", state], check=False,
                           stdout=subprocess.DEVNULL)
        shutil.rmtree(work, ignore_errors=True)
    print("\n".join(["not typed:", *left, *failed]))
    print(f"documents: {typed} commands typed, {len(failed)} failed, {len(left)} places not typed")
    sys.exit(bool(failed) or not typed)


main()
