"""A stack for as long as a program measures on it."""
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

# Whatever ends the program, it leaves no stack behind.
ENDINGS = (signal.SIGINT, signal.SIGTERM)


class Stack:
    """All services in a state folder of their own, for as long as a `with` lasts."""

    def __init__(self, program):
        self.program = program
        # Sockets have short names.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stack", dir="/tmp"))

    def __enter__(self):
        for number in ENDINGS:
            signal.signal(number, lambda *_: sys.exit("interrupted"))
        self.call("up")
        return self

    def __exit__(self, *_):
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)
        subprocess.run([self.program, "down", "--purge", "--yes", "--quiet", "--state", self.folder / "state"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.folder)

    def call(self, *arguments):
        """What a command prints on stdout."""
        command = [self.program, *arguments, "--quiet", "--state", self.folder / "state"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"tidemill {' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout
