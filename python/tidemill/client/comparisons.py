"""What the commands `compare` and `backtest` answer, as tables."""
from __future__ import annotations

from typing import Any

from tidemill.client import look
from tidemill.client.table import Table


class Comparison:
    """Runs side by side; each is compared with the first one."""

    def __init__(self, document: dict[str, Any]) -> None:
        #: What `tidemill compare --json` prints.
        self.document = document

    def values(self) -> Table:
        """One row for each run, measure and series, over all windows.

        `series` is `active`, the models in use; `trained`; or a rule without a model. `difference` is to the first run, and
        `same_samples` says whether both are over the same samples.
        """
        names = ("run", "dataset", "measure", "series", "mean", "low", "high", "samples", "difference", "same_samples")
        return Table.of_rows(names, ({"run": run["run"], **row} for run in self.document["runs"] for row in run["measures"]))

    def differences(self) -> Table:
        """How the models in use of each run differ from those of the first one, on the samples that both have: with a 95 %
        interval, and whether it is beyond chance."""
        names = ("run", "dataset", "measure", "models", "other", "difference", "low", "high", "samples", "beyond_chance")
        runs = self.document["runs"]
        return Table.of_rows(names, ({"run": run["run"], **row} for run in runs for row in run.get("paired", ())))

    def settings(self) -> Table:
        """One row for each key in which the pipelines differ, with a column for each run."""
        runs = [f"run {run['run']}" for run in self.document["runs"]]
        return Table.of_rows(("key", *runs), ({"key": entry["key"], **dict(zip(runs, entry["values"]))}
                                              for entry in self.document["config"]))

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, (self.values(), self.differences(), self.settings())))

    def _repr_html_(self) -> str:
        tables = (("Over all windows", self.values()), ("On the same samples", self.differences()), ("Settings", self.settings()))
        return "".join(look.page(look.paragraph(name)) + table._repr_html_() for name, table in tables if len(table))


class Backtest(Table):
    """What each policy would have done: one row for each.

    `value` is that of the models that it would have had in use, by the matrix of a run, with its 95 % interval.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        #: What `tidemill backtest --json` prints, with the times of the triggers of each policy.
        self.document = document
        names = ("name", "own", "num_triggers", "num_decisions", "samples", "leftover", "training_seconds", "mean_delay_seconds",
                 "longest_delay_seconds", "value", "low", "high", "measured_samples", "false_alarms", "policy")
        super().__init__(Table.of_rows(names, document["results"]).columns)
