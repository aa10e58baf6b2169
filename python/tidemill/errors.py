"""What goes wrong, as exceptions.

Every exception of Tidemill is an `Error`. Its class says of which kind it is, as the exit code of the command `tidemill` does
(docs/reference/exit_codes.md):

    try:
        stack.run("pipeline.yaml")
    except tidemill.InvalidPipeline as error:
        for problem in error.problems:
            print(problem.line, problem.message, problem.advice)
"""
from __future__ import annotations

import dataclasses
import re
from typing import Any, ClassVar


@dataclasses.dataclass(frozen=True)
class Place:
    """Where something is wrong."""

    file: str
    #: From 1; 0 where the file has no lines, as a value that was set.
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclasses.dataclass(frozen=True)
class Problem:
    """One of the things that are wrong."""

    message: str
    where: Place | None = None
    #: The key in the file, such as `training.optimizer.lr`; empty when unknown.
    path: str = ""
    #: What to do; empty where the message says it.
    advice: str = ""

    @property
    def file(self) -> str:
        """The name of the file; empty when unknown."""
        return self.where.file if self.where else ""

    @property
    def line(self) -> int:
        """The line, from 1; 0 when unknown."""
        return self.where.line if self.where else 0

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  {self.advice}" if self.advice else ""
        return f"{place}{self.message}{advice}"


class Error(Exception):
    """Something that Tidemill could not do. The text has every problem, with its place and what to do."""

    #: The name of the exit code of `tidemill` that means the same.
    code: ClassVar[str] = "failed"

    def __init__(self, message: str, *, advice: str = "", problems: tuple[Problem, ...] = ()) -> None:
        self.problems = problems or (Problem(message, advice=advice),)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @property
    def message(self) -> str:
        """What the first problem is."""
        return self.problems[0].message

    @property
    def where(self) -> Place | None:
        """Where the first problem is; None when unknown."""
        return self.problems[0].where

    @property
    def advice(self) -> str:
        """What to do about the first problem; empty where the message says it."""
        return self.problems[0].advice

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.problems, {name: value for name, value in vars(self).items() if name != "problems"})


def _made_again(kind: type[Error], problems: tuple[Problem, ...], others: dict[str, Any]) -> Error:
    """An exception that another process has raised."""
    error = kind.__new__(kind)
    Error.__init__(error, "", problems=problems)
    vars(error).update(others)
    return error


class UsageError(Error):
    """A call, or an option of a command, that makes no sense."""

    code = "usage"


class InvalidPipeline(Error):
    """A file, a value or a request is not valid. `problems` has every mistake, in the order of the file."""

    code = "invalid"


class NotFound(Error):
    """There is no such run, pipeline, dataset or model."""

    code = "not_found"


class Unreachable(Error):
    """There is no stack, or it did not answer in time. Trying again may help."""

    code = "unreachable"


class NotAllowed(Error):
    """The token, or the mode of a file, does not allow this."""

    code = "not_allowed"


class Conflict(Error):
    """The name is taken by something else, or the state forbids it."""

    code = "conflict"


class RunFailed(Error):
    """A run has failed or was stopped before its end. `run` is its number."""

    def __init__(self, message: str, *, run: int, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.run = run


_BY_CODE: dict[str, type[Error]] = {
    kind.code: kind for kind in (Error, UsageError, InvalidPipeline, NotFound, Unreachable, NotAllowed, Conflict)}
# As ExitCodeOf() of the command does.
_BY_STATUS = {
    "INVALID_ARGUMENT": "invalid", "NOT_FOUND": "not_found", "UNAVAILABLE": "unreachable", "DEADLINE_EXCEEDED": "unreachable",
    "UNAUTHENTICATED": "not_allowed", "PERMISSION_DENIED": "not_allowed", "FAILED_PRECONDITION": "conflict",
    "ALREADY_EXISTS": "conflict"}
_PLACE = re.compile(r"(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)")
_DISK_FULL = "the disk is full"


def problem_of(found: dict[str, Any]) -> Problem:
    """A finding that a command has printed as JSON."""
    where = Place(found["file"], found.get("line", 0), found.get("column", 0)) if found.get("file") else None
    return Problem(found["message"], where, found.get("path", ""), found.get("advice", ""))


def error_of_document(document: dict[str, Any]) -> Error:
    """The exception for the `error` that a command has printed as JSON."""
    kind = _BY_CODE.get(document["code"], Error)
    return kind(document["message"], problems=tuple(map(problem_of, document.get("findings") or [document])))


def error_of_status(status: str, message: str, *, peer: str) -> Error:
    """The exception for a failed call, by the name of its status. `peer` says who was asked."""
    code = "failed" if _DISK_FULL in message else _BY_STATUS.get(status, "failed")
    kind = _BY_CODE[code]
    if code == "invalid":
        places = [_PLACE.fullmatch(line) for line in message.splitlines()]
        problems = tuple(Problem(place["message"], Place(place["file"], int(place["line"]), int(place["column"])))
                         for place in places if place)
        return kind(message, problems=problems if len(problems) == len(places) else ())
    if code == "unreachable":
        return kind(f"{peer}: {message}", advice="`tidemill status` says which services answer")
    advice = "the token file is read from the stack's state folder, or is `token_file`" if status == "UNAUTHENTICATED" else ""
    return kind(message, advice=advice)
