"""What is asked of triggers."""
from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from tidemill.hosting.answers import Answer, shown
from tidemill.hosting.calls import KindCalls
from tidemill.hosting.faults import Refused
from tidemill.plugin import Comparison, Cut, EachCalendar, EveryPeriod, EverySamples, Evidence, Table, Trigger, Verdict


class TriggerCalls(KindCalls[Trigger]):
    """An instance of a trigger, and what it looks at."""

    calls = KindCalls.calls | {"observe", "judge"}
    copying = 'evidence["errors"].copy()'

    _tables: dict[str, Table] = {}

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = Answer(self.plugin.points)
        points = self.plugin.points()
        if not isinstance(points, (EverySamples, EveryPeriod, EachCalendar)):
            raise answer.refuse("EverySamples, EveryPeriod or EachCalendar", shown(points))
        answer = Answer(self.plugin.looks_at)
        tables = self.plugin.looks_at()
        if not isinstance(tables, Mapping):
            raise answer.refuse("a dict of names and tables", shown(tables))
        for name, table in tables.items():
            answer.text("the name of a table", name)
            if not isinstance(table, Table) or not table.kind:
                raise answer.refuse(f"Samples, Errors, Predictions, Embeddings, Labels or Columns as {name}", shown(table))
        self._tables = dict(tables)
        return {"points": points.described(), "looks_at": [table.described(name) for name, table in self._tables.items()]}

    def observe(self, request: dict[str, Any]) -> dict[str, Any]:
        for event in request.get("events", ()):
            self._tell(event)
        observed = self.plugin.observe(self._evidence(request))
        answer = Answer(self.plugin.observe)
        if not isinstance(observed, Mapping):
            raise answer.refuse("a dict of names and numbers", shown(observed))
        numbers = {answer.text("the name of a number", name): answer.number(name, value) for name, value in observed.items()}
        return {"observed": numbers, "state": base64.b64encode(self.sealed()).decode()}

    def judge(self, request: dict[str, Any]) -> dict[str, Any]:
        verdict = self.plugin.judge({name: float(value) for name, value in request["observed"].items()})
        answer = Answer(self.plugin.judge)
        answer.instance(verdict, Verdict, "a plugin.Verdict")
        told: dict[str, Any] = {"fired": answer.truth("fired", verdict.fired),
                                "because": answer.text("because", verdict.because)}
        compared = verdict.comparison
        if compared is not None:
            answer.instance(compared, Comparison, "a plugin.Comparison as comparison")
            if not isinstance(compared.unit, str):
                raise answer.refuse("a text as the unit", shown(compared.unit))
            told["comparison"] = {"quantity": answer.text("the quantity", compared.quantity),
                                  "value": answer.number("the value", compared.value),
                                  "threshold": answer.number("the threshold", compared.threshold), "unit": compared.unit}
        return told

    def _tell(self, event: dict[str, Any]) -> None:
        if "trained" in event:
            self.plugin.trained(Cut(**event["trained"]))
        elif "cost" in event:
            self.plugin.cost(int(event["cost"]["samples"]), float(event["cost"]["seconds"]))
        elif "no_model" in event:
            self.plugin.no_model()
        else:
            raise Refused(f"an event {shown(event)}, which this host does not know")

    def _evidence(self, request: dict[str, Any]) -> Evidence:
        tables = {}
        given = request.get("tables", {})
        for name, table in self._tables.items():
            if name not in given:
                raise Refused(f"the request has no table {name}")
            tables[name] = (table, self.memory.block(given[name]), int(given[name].get("missing", 0)))
        return Evidence(Cut(**request["at"]), int(request["num_new"]), bool(request["has_model"]), tables)
