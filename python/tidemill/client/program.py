"""The program `tidemill`, which does what needs the files of a user: it reads pipelines, plug-ins and inputs, and starts stacks.

Why these are not written a second time in Python: docs/decisions/code/0067-the-client-asks-the-command.md.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tidemill import programs
from tidemill.client.address import Address
from tidemill.errors import Error, NotFound, error_of_document

# 8: the command has finished with losses, which its result names.
_HAS_RESULT = (0, 8)


def find() -> str:
    """The path of `tidemill`: TIDEMILL_BIN, or that of the package or of PATH. Raises NotFound."""
    try:
        return str(programs.find())
    except FileNotFoundError as error:
        raise NotFound(str(error)) from None


def ask(address: Address, arguments: Sequence[str], **how: Any) -> Any:
    """Runs a command of `tidemill` on a stack, and returns what it prints as JSON: one document. `how`: as of printed()."""
    return json.loads(printed(address, [*arguments, "--json"], **how))


def printed(address: Address, arguments: Sequence[str], *, standard_input: str | None = None,
            folder: str | os.PathLike[str] | None = None, has_result: Sequence[int] = _HAS_RESULT, quiet: bool = True) -> str:
    """Runs a command in a folder, and returns its output. Raises what it says as an exception, unless its code has a result.

    `quiet`: whether standard error stays empty. Otherwise the progress of the command is shown there.
    """
    command = [find(), *arguments, *address.flags(), *(["--quiet"] if quiet else [])]
    done = subprocess.run(command, input=standard_input, stdin=None if standard_input is not None else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None, cwd=folder,
                          env=programs.environment(), text=True, encoding="utf-8", errors="replace", check=False)
    failure = _failure_of(done.stdout)
    if failure is not None or done.returncode not in has_result:
        raise failure or _error_of(arguments, done.returncode, done.stdout, done.stderr or "")
    return done.stdout


@contextlib.contextmanager
def files_of(texts: Mapping[str, str]) -> Iterator[list[str]]:
    """Files with these names and texts, for as long as a command reads them."""
    with tempfile.TemporaryDirectory(prefix="tidemill-") as scratch:
        paths = [os.path.join(scratch, os.path.basename(name)) for name in texts]
        for path, text in zip(paths, texts.values()):
            pathlib.Path(path).write_text(text, encoding="utf-8")
        yield paths


def _failure_of(output: str) -> Error | None:
    """What a command says that failed: its whole output, or, after a part of its result, the last line."""
    for text in (output, output.strip().rpartition("\n")[2]):
        try:
            document = json.loads(text)
        except ValueError:
            continue
        if isinstance(document, dict) and isinstance(document.get("error"), dict):
            return error_of_document(document["error"])
    return None


def _error_of(arguments: Sequence[str], code: int, output: str, told: str) -> Error:
    said = told.strip() or output.strip()[-2000:] or "it said nothing"
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return Error(f"`tidemill {' '.join(arguments[:2])}` {how}: {said}")
