"""Faults: errors in a user's code, with their place."""
from __future__ import annotations

import traceback
from types import CodeType, TracebackType
from typing import Any

LONGEST_TRACEBACK = 32 * 1024
_LONGEST_WHAT = 4 * 1024


class Refused(Exception):
    """The host takes no such answer of a plug-in, or no such request of its owner. `code`: the function at fault."""

    def __init__(self, what: str, code: CodeType | None = None) -> None:
        super().__init__(what)
        self.code = code


def fault_of(error: BaseException, file_name: str | None) -> dict[str, str]:
    """The fault that an exception is, for plug-ins from this file. Never raises."""
    try:
        if isinstance(error, Refused):
            return _fault(str(error), _place_of_code(error.code), "")
        first, deepest = _user_frames(error.__traceback__, file_name)
        if deepest is None and not isinstance(error, SyntaxError):
            return _fault(f"the host cannot answer: {_what(error)}", "", _told(error, error.__traceback__))
        return _fault(_what(error), _place(error, deepest, file_name), _told(error, first))
    except BaseException:  # An exception whose own methods raise, or no memory left for its traceback.
        return _fault(type(error).__name__, "", "")


def _fault(what: str, where: str, told: str) -> dict[str, str]:
    return {"what": _shortened(what, _LONGEST_WHAT), "where": where, "traceback": _shortened(told, LONGEST_TRACEBACK)}


def _what(error: BaseException) -> str:
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return f"{name}: {message}" if message else name


def _user_frames(trace: TracebackType | None, file_name: str | None) -> tuple[TracebackType | None, Any]:
    """The first and the deepest entry in the user's file."""
    first = deepest = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file_name:
            first = first or trace
            deepest = trace
        trace = trace.tb_next
    return first, deepest


def _place(error: BaseException, deepest: TracebackType | None, file_name: str | None) -> str:
    if isinstance(error, SyntaxError) and error.filename == file_name and error.lineno:
        return f"{file_name}:{error.lineno}"
    if deepest is None:
        return ""
    function = deepest.tb_frame.f_code.co_name
    return f"{file_name}:{deepest.tb_lineno}" + ("" if function == "<module>" else f" in {function}")


def _place_of_code(code: CodeType | None) -> str:
    return f"{code.co_filename}:{code.co_firstlineno} in {code.co_name}" if code else ""


def _told(error: BaseException, first: TracebackType | None) -> str:
    """The traceback without the frames of the host, which are above those of the user."""
    return "".join(traceback.TracebackException(type(error), error, first).format())


def _shortened(text: str, longest: int) -> str:
    """At most `longest` bytes: a quarter from the beginning, the rest from the end."""
    whole = text.encode("utf-8", "replace")
    if len(whole) <= longest:
        return text
    cut = "\n...\n"
    head = whole[:longest // 4].decode("utf-8", "ignore")
    return head + cut + whole[len(head.encode()) + len(cut) - longest:].decode("utf-8", "ignore")
