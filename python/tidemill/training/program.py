"""A user's function as a plug-in."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from tidemill.plugin.base import Plugin
from tidemill.plugin.settings import VALUES, Boolean, Integer, Number, Numbers, Setting, Text, Texts


class Program(Plugin):
    """A function `main(training, ...)`; its other parameters are settings."""

    kind: ClassVar[str] = "program"
    function: ClassVar[Callable[..., Any]]

    def values(self) -> dict[str, Any]:
        """The settings by name."""
        values: dict[str, Any] = dict(self.__dict__[VALUES])
        return values


def program_of(function: Callable[..., Any], version: str = "") -> type[Program]:
    """The plug-in that a function is. Raises TypeError where its parameters are not those of a program."""
    parameters = list(inspect.signature(function).parameters.values())
    name = getattr(function, "__name__", "main")
    if not parameters or parameters[0].kind not in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        raise TypeError(f"{name} has to take the training as its first argument: def {name}(training)")
    members: dict[str, Any] = {"function": staticmethod(function), "__doc__": inspect.getdoc(function) or "", "version": version,
                               "__module__": getattr(function, "__module__", "")}
    for parameter in parameters[1:]:
        members[parameter.name] = _setting(name, parameter)
    made: type[Program] = type(name, (Program,), members)
    return made


def _setting(name: str, parameter: inspect.Parameter) -> Setting[Any]:
    default = parameter.default
    if isinstance(default, Setting):
        return default
    if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        raise TypeError(f"{name} cannot take *{parameter.name}: each setting has its own parameter")
    for kind, setting in ((bool, Boolean), (int, Integer), (float, Number), (str, Text)):
        if isinstance(default, kind):
            return setting(default)  # type: ignore[arg-type]
    if isinstance(default, (list, tuple)) and default:
        return Texts(default) if all(isinstance(value, str) for value in default) else Numbers(default)
    raise TypeError(f"the parameter {parameter.name} of {name} is a setting and needs a default: a number, a text, True or "
                    "False, or plugin.Number(), plugin.Text() and so on, which a pipeline then has to give")
