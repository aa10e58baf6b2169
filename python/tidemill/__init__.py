"""Tidemill for Python.

    import tidemill

    with tidemill.Stack(state="mine") as stack:
        run = stack.run("pipeline.yaml")
        print(run.matrix())

`tidemill.Stack` and `tidemill.connect` use a stack; what fails is a `tidemill.Error`. The module `tidemill.plugin` is what users'
own trigger policies, ops and measures are written with. The guide is docs/guides/python.md.

To import this package loads nothing but the standard library: what a name needs is loaded when it is first used.
"""
from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidemill.client.comparisons import Backtest as Backtest
    from tidemill.client.comparisons import Comparison as Comparison
    from tidemill.client.decisions import Decision as Decision
    from tidemill.client.matrix import Matrix as Matrix
    from tidemill.client.models import Model as Model
    from tidemill.client.rows import Predictions as Predictions
    from tidemill.client.run import Run as Run
    from tidemill.client.run import RunStatus as RunStatus
    from tidemill.client.stack import Stack as Stack
    from tidemill.client.stack import connect as connect
    from tidemill.client.table import Table as Table
    from tidemill.errors import Conflict as Conflict
    from tidemill.errors import Error as Error
    from tidemill.errors import InvalidPipeline as InvalidPipeline
    from tidemill.errors import NotAllowed as NotAllowed
    from tidemill.errors import NotFound as NotFound
    from tidemill.errors import Place as Place
    from tidemill.errors import Problem as Problem
    from tidemill.errors import RunFailed as RunFailed
    from tidemill.errors import Unreachable as Unreachable
    from tidemill.errors import UsageError as UsageError
    from tidemill.network_export import Exported as Exported
    from tidemill.network_export import ExportError as ExportError
    from tidemill.network_export import export as export

# Where each name is.
_PLACES = {
    **dict.fromkeys(("Conflict", "Error", "InvalidPipeline", "NotAllowed", "NotFound", "Place", "Problem", "RunFailed",
                     "Unreachable", "UsageError"), "tidemill.errors"),
    "Backtest": "tidemill.client.comparisons", "Comparison": "tidemill.client.comparisons",
    "Decision": "tidemill.client.decisions", "Matrix": "tidemill.client.matrix", "Model": "tidemill.client.models",
    "Predictions": "tidemill.client.rows", "Run": "tidemill.client.run", "RunStatus": "tidemill.client.run",
    "Stack": "tidemill.client.stack", "Table": "tidemill.client.table", "connect": "tidemill.client.stack",
    "Exported": "tidemill.network_export", "ExportError": "tidemill.network_export", "export": "tidemill.network_export"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        value = getattr(importlib.import_module(_PLACES[name]), name)
        globals()[name] = value
        return value
    # A module, such as `tidemill.torch`.
    if not name.startswith("_") and importlib.util.find_spec(f"tidemill.{name}") is not None:
        return importlib.import_module(f"tidemill.{name}")
    raise AttributeError(f"the package tidemill has no {name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
