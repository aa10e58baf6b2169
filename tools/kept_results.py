"""Remembers by content which units of a build a check has found nothing in, for all clones of a user.

What a unit is made of is known from the dependencies that ninja has written down while it was compiled: so a check with
kept results needs a finished build. Kept in ${XDG_CACHE_HOME:-~/.cache}/tidemill; results not used in two months are dropped.
"""
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT_SECONDS = 60 * 24 * 3600
LEAVE_OUT_NOTHING = re.compile(r"(?!)")


@functools.cache
def digest_of(path: str) -> bytes:
    return hashlib.sha256(pathlib.Path(path).read_bytes()).digest()


class KeptResults:
    """The results of one check. `version`: all that decides beside the units. `left_out`: what a unit includes and the
    check replaces by something of the version."""

    def __init__(self, name: str, build: pathlib.Path, version: str, left_out: re.Pattern = LEAVE_OUT_NOTHING):
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        self.folder = cache / "tidemill" / name
        self.build, self.version, self.left_out = build, version, left_out
        self.inputs = self.read_inputs()

    def read_inputs(self) -> dict[str, list[str]]:
        """The files that each object of the build was compiled from."""
        said = subprocess.run(["ninja", "-C", self.build, "-t", "deps"], capture_output=True, text=True, check=False).stdout
        inputs: dict[str, list[str]] = {}
        some: list[str] = []
        for line in said.splitlines():
            if line.startswith("    "):
                some.append(os.path.normpath(self.build / line.strip()))
            elif ": #deps" in line:
                some = []
                # Nothing is known about what was compiled before a change.
                if "STALE" not in line:
                    inputs[line.partition(": #deps")[0]] = some
        return inputs

    def key(self, entry: dict) -> str:
        """Of an entry of compile_commands.json. Empty when it is not known what it includes."""
        made = re.search(r" -o (\S+) ", entry["command"])
        inputs = self.inputs.get(made[1], []) if made else []
        if not inputs:
            return ""
        digest = hashlib.sha256(self.version.encode())
        digest.update(self.portable(entry["command"]).encode())
        for path in sorted(path for path in inputs if not self.left_out.search(path)):
            digest.update(self.portable(path).encode() + digest_of(path))
        return digest.hexdigest()

    def portable(self, text: str) -> str:
        """The same in all clones."""
        return text.replace(f"{self.build}/", "BUILD/").replace(f"{ROOT}/", "ROOT/").replace(f"{ROOT} ", "ROOT ")

    def path(self, key: str) -> pathlib.Path:
        return self.folder / key[:2] / key

    def has(self, key: str) -> bool:
        if not key or not self.path(key).exists():
            return False
        self.path(key).touch()
        return True

    def add(self, keys: list[str]) -> None:
        for key in filter(None, keys):
            self.path(key).parent.mkdir(parents=True, exist_ok=True)
            self.path(key).touch()

    def drop_old(self) -> None:
        oldest = time.time() - KEPT_SECONDS
        for path in self.folder.glob("*/*"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
