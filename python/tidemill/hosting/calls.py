"""The calls of an instance of any kind. Each kind has its own class, with a method for each call."""
from __future__ import annotations

import base64
import binascii
from typing import Any, ClassVar, Generic, TypeVar

from tidemill.hosting.answers import Answer, shown
from tidemill.hosting.faults import Refused
from tidemill.hosting.memory import AnswerMemory, RequestMemory
from tidemill.plugin import Plugin

P = TypeVar("P", bound=Plugin)
# What a message can hold as base64, beside the rest of an answer.
LARGEST_STATE = 11 * 1024 * 1024


class KindCalls(Generic[P]):
    """An instance and what is asked of it. The method of its name answers a call."""

    calls: ClassVar[frozenset[str]] = frozenset({"seal", "restore"})
    # How a plug-in of the kind copies what it is shown.
    copying: ClassVar[str] = 'block["x"].copy()'

    def __init__(self, plugin: P, memory: RequestMemory, answers: AnswerMemory) -> None:
        self.plugin = plugin
        self.memory = memory
        self.answers = answers

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the kind says about a new instance."""
        raise NotImplementedError

    def seal(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"state": base64.b64encode(self.sealed()).decode()}

    def restore(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            state = base64.b64decode(request["state"], validate=True)
        except binascii.Error as error:
            raise Refused(f"the state is not base64: {error}") from None
        self.plugin.restore(state)
        return {}

    def sealed(self) -> bytes:
        """What the instance remembers."""
        state = self.plugin.seal()
        answer = Answer(self.plugin.seal)
        if not isinstance(state, (bytes, bytearray)):
            raise answer.refuse("bytes", shown(state))
        if len(state) > LARGEST_STATE:
            raise Refused(f"{type(self.plugin).__name__} remembers {len(state)} bytes, and {LARGEST_STATE} is the most")
        return bytes(state)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """An attribute of the class that is one of these texts."""
        value = getattr(self.plugin, name)
        if not isinstance(value, str) or value not in choices:
            raise self.refused_attribute(name, "one of " + ", ".join(choices), value)
        return value

    def refused_attribute(self, name: str, wanted: str, value: Any) -> Refused:
        return Refused(f"{name} of {type(self.plugin).__name__} has to be {wanted}, and is {shown(value)}")
