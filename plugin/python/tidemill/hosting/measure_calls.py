"""What is asked of measures."""
from __future__ import annotations

from typing import Any

import numpy as np

from tidemill.hosting.answers import Answer, shown
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import Measure


class MeasureCalls(KindCalls[Measure]):
    """An instance of a measure."""

    calls = KindCalls.calls | {"measure", "combine"}

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(self.plugin.unit, str):
            raise self.refused_attribute("unit", "a text", self.plugin.unit)
        if not isinstance(self.plugin.higher_is_better, bool):
            raise self.refused_attribute("higher_is_better", "True or False", self.plugin.higher_is_better)
        return {"needs": self.choice("needs", ("predictions", "probabilities")), "of": self.choice("of", ("classes", "values")),
                "unit": self.plugin.unit, "higher_is_better": self.plugin.higher_is_better}

    def measure(self, request: dict[str, Any]) -> dict[str, Any]:
        sums = self.plugin.measure(self.memory.block(request))
        answer = Answer(self.plugin.measure)
        if isinstance(sums, str) or not hasattr(sums, "__len__") or not hasattr(sums, "__iter__"):
            raise answer.refuse("a list of numbers", shown(sums))
        return {"sums": [answer.number(f"sum {place}", value) for place, value in enumerate(sums)]}

    def combine(self, request: dict[str, Any]) -> dict[str, Any]:
        sums = request["sums"]
        if not sums:
            return {"value": None}
        answer = Answer(self.plugin.measure)
        if len({len(block) for block in sums}) > 1:
            raise answer.refuse("as many sums for each block", f"{len(min(sums, key=len))} for one and "
                                f"{len(max(sums, key=len))} for another")
        value = self.plugin.combine(np.array(sums, np.float64).reshape(len(sums), len(sums[0])))
        return {"value": None if value is None else Answer(self.plugin.combine).number("the value", value)}
