"""The user's file: running it, and finding a plug-in in it."""
from __future__ import annotations

import difflib
import importlib.util
import inspect
import linecache
import os
import sys
import types

from tidemill.hosting.faults import Refused
from tidemill.plugin import Format, Measure, Op, Plugin, Score, Selection, Trigger
from tidemill.plugin.settings import settings_of
from tidemill.training.program import Program, program_of

KINDS: dict[str, type[Plugin]] = {kind.kind: kind for kind in (Trigger, Measure, Op, Score, Selection, Format)}
# The same for every file, so that states do not depend on what a file is called, and no module has to make way.
MODULE = "plugin_file"


def read_all(descriptor: int) -> bytes:
    """The bytes of a file from its beginning."""
    pieces = []
    place = 0
    while piece := os.pread(descriptor, 1 << 20, place):
        pieces.append(piece)
        place += len(piece)
    return b"".join(pieces)


def run_file(source: bytes, file_name: str) -> types.ModuleType:
    """The module that the file is. Whatever the file raises comes through."""
    code = compile(source, file_name, "exec", dont_inherit=True)
    lines = importlib.util.decode_source(source).splitlines(keepends=True)
    linecache.cache[file_name] = (len(source), None, lines, file_name)
    module = types.ModuleType(MODULE)
    module.__file__ = file_name
    sys.modules[MODULE] = module
    exec(code, module.__dict__)
    return module


def find_plugin(module: types.ModuleType, file_name: str, name: str, kind: str) -> type[Plugin]:
    """The class of that name and kind. Raises Refused, which lists the classes of the file, where there is none."""
    if kind == Program.kind:
        return _find_program(module, file_name, name)
    if kind not in KINDS:
        raise Refused(f"no plug-in is a {kind}; there are {', '.join(KINDS)}")
    found = vars(module).get(name)
    if found is None:
        raise Refused(f"{file_name} has no {name}{_closest(module, name)} {_inventory(module, file_name)}")
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        raise Refused(f"{name} in {file_name} is not a class that derives from tidemill.plugin.{KINDS[kind].__name__}. "
                      f"{_inventory(module, file_name)}")
    if not issubclass(found, KINDS[kind]):
        raise Refused(f"{name} in {file_name} is a plug-in of the kind {found.kind}, and a {kind} is wanted. "
                      f"{_inventory(module, file_name)}")
    lacking = sorted(getattr(found, "__abstractmethods__", ()))
    if lacking:
        raise Refused(f"{name} in {file_name} lacks {_listed([f'{method}()' for method in lacking])}, "
                      f"which a {kind} has to have")
    return found


def _find_program(module: types.ModuleType, file_name: str, name: str) -> type[Program]:
    found = vars(module).get(name)
    if not inspect.isfunction(found):
        names = [known for known, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == MODULE]
        raise Refused(f"{file_name} has no function {name}; it has {_listed(names) if names else 'none'}")
    try:
        return program_of(found, str(vars(module).get("__version__", "")))
    except (TypeError, ValueError) as error:
        raise Refused(str(error), found.__code__) from error


def description_of(plugin: type[Plugin]) -> dict[str, object]:
    """What a host reports about a plug-in."""
    return {"kind": plugin.kind, "name": plugin.__name__, "doc": inspect.cleandoc(plugin.__doc__ or ""),
            "version": str(plugin.version),
            "settings": [setting.description() for setting in settings_of(plugin).values()]}


def descriptions_of(module: types.ModuleType) -> list[dict[str, object]]:
    """What a host reports about all plug-ins of a file, in their order. One that lacks a method has a `problem`."""
    described = []
    for plugin in _plugins(module).values():
        lacking = sorted(getattr(plugin, "__abstractmethods__", ()))
        problem = {"problem": f"it lacks {_listed([f'{method}()' for method in lacking])}"} if lacking else {}
        described.append({**description_of(plugin), **problem})
    return described


def _plugins(module: types.ModuleType) -> dict[str, type[Plugin]]:
    return {name: value for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Plugin) and value.__module__ == module.__name__}


def _closest(module: types.ModuleType, name: str) -> str:
    names = _plugins(module)
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"; did you mean {lower[close[0]]}?" if close else "."


def _inventory(module: types.ModuleType, file_name: str) -> str:
    told = [f"{name} ({plugin.kind})" for name, plugin in _plugins(module).items()]
    return f"It has {_listed(told)}" if told else "It has no plug-in: no class that derives from one of tidemill.plugin"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
