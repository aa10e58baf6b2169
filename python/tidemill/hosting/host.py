"""A host: reads a request, asks the plug-in, answers, until the socket ends."""
from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from tidemill.hosting.calls import KindCalls
from tidemill.hosting.faults import Refused, fault_of
from tidemill.hosting.format_calls import FormatCalls
from tidemill.hosting.measure_calls import MeasureCalls
from tidemill.hosting.memory import AnswerMemory, RequestMemory
from tidemill.hosting.messages import LONGEST, Channel, Unreadable, encoded, hello
from tidemill.hosting.op_calls import OpCalls
from tidemill.hosting.program_calls import ProgramCalls
from tidemill.hosting.requirements import check_requirements
from tidemill.hosting.score_calls import ScoreCalls
from tidemill.hosting.selection_calls import SelectionCalls
from tidemill.hosting.trigger_calls import TriggerCalls
from tidemill.hosting.user_file import description_of, descriptions_of, find_plugin, read_all, run_file
from tidemill.plugin import Plugin, create, files
from tidemill.plugin.settings import checked_settings

_CALLS: dict[str, type[KindCalls[Any]]] = {
    "trigger": TriggerCalls, "measure": MeasureCalls, "op": OpCalls, "score": ScoreCalls, "selection": SelectionCalls,
    "format": FormatCalls, "program": ProgramCalls}


class Host:
    """Holds one plug-in and at most one instance of it."""

    def __init__(self, socket: int, requests: int, answers: int, file: int) -> None:
        """The descriptors that the protocol names."""
        self._channel = Channel(socket)
        self._memory = RequestMemory(requests)
        self._answers = AnswerMemory(answers)
        self._file = file
        self._first_data = file + 1
        self._file_name: str | None = None
        self._plugin: type[Plugin] | None = None
        self._calls: KindCalls[Any] | None = None

    def serve(self) -> None:
        """Returns once the owner is gone."""
        process = os.getpid()
        try:
            self._channel.send(hello(numpy=np.__version__))
            while (message := self._channel.receive()) is not None:
                answer = self._answer(message)
                if os.getpid() != process:
                    os._exit(1)  # A process that the plug-in has forked. It has nothing to say.
                self._channel.send(answer)
        except Unreadable as error:
            self._channel.send(encoded(_failed(error, None)))
        except OSError:
            pass  # The owner is gone.

    def _answer(self, message: bytes) -> bytes:
        """The answer to a request. Never raises, whatever the plug-in does."""
        try:
            answer = encoded({"ok": True, **self._result(message)})
            if len(answer) > LONGEST:
                raise Refused(f"the answer has {len(answer)} bytes, and {LONGEST} is the most")
            return answer
        except BaseException as error:
            return encoded(_failed(error, self._file_name))
        finally:
            _flush()

    def _result(self, message: bytes) -> dict[str, Any]:
        request = json.loads(message)
        call = request.get("call")
        self._memory.lend()
        result = self._ask(call, request)
        if not self._memory.take_back():
            copying = self._calls.copying if self._calls else KindCalls.copying
            raise Refused(f"{call}: the plug-in keeps columns that it was shown, and they change with the next call. "
                          f"Keep a copy: {copying}")
        return result

    def _ask(self, call: str, request: dict[str, Any]) -> dict[str, Any]:
        if call == "load":
            return self._load(request)
        if call == "list":
            self._file_name = str(request["file"])
            self._place_files(request)
            return {"plugins": descriptions_of(run_file(read_all(self._file), self._file_name))}
        if call == "create":
            return self._create(request)
        if not any(call in calls.calls for calls in _CALLS.values()):
            raise Refused(f"the call {call!r}, which this host does not know")
        if self._calls is None:
            raise Refused(f"the call {call} before there is an instance")
        if call not in self._calls.calls:
            raise Refused(f"the call {call} of a {self._calls.plugin.kind}")
        result: dict[str, Any] = getattr(self._calls, call)(request)
        return result

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        self._plugin = self._calls = None
        self._file_name = str(request["file"])
        self._place_files(request)
        # Before the file imports them.
        check_requirements([str(requirement) for requirement in request.get("requirements") or ()])
        module = run_file(read_all(self._file), self._file_name)
        self._plugin = find_plugin(module, self._file_name, request["name"], request["kind"])
        return {"plugin": description_of(self._plugin)}

    def _place_files(self, request: dict[str, Any]) -> None:
        """The descriptors after that of the plug-in's file are data files, in the order of their names."""
        names = [str(name) for name in request.get("files") or ()]
        files._hold({name: f"/proc/self/fd/{self._first_data + place}" for place, name in enumerate(names)})

    def _create(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._plugin is None:
            raise Refused("the call create before a plug-in is loaded")
        self._calls = None
        settings = request.get("settings") or {}
        try:
            checked_settings(self._plugin, settings)
        except ValueError as error:
            raise Refused(str(error)) from None
        calls = _CALLS[self._plugin.kind](create(self._plugin, settings, int(request["seed"])), self._memory, self._answers)
        if isinstance(calls, ProgramCalls):
            calls.exchange = self._exchange
        created = calls.created(request)
        self._calls = calls
        return created

    def _exchange(self, result: dict[str, Any]) -> dict[str, Any]:
        """Answers a request while the plug-in is asked, and returns the next one."""
        answer = encoded({"ok": True, **result})
        _flush()
        self._memory.take_back()
        self._channel.send(answer)
        message = self._channel.receive()
        if message is None:
            os._exit(0)  # The owner is gone.
        self._memory.lend()
        request: dict[str, Any] = json.loads(message)
        return request


def _failed(error: BaseException, file_name: str | None) -> dict[str, Any]:
    return {"ok": False, "fault": fault_of(error, file_name)}


def _flush() -> None:
    """Printed text is in the pipe before the answer."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # Closed or replaced by the plug-in, or without a reader.
            pass
