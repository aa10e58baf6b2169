"""What is asked of measures."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.answers import Answer
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import Measure

# Numbers that a sample contributes.
MOST_NUMBERS = 64


class MeasureCalls(KindCalls[Measure]):
    """An instance of a measure."""

    calls = KindCalls.calls | {"measure", "combine"}

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(self.plugin.unit, str):
            raise self.refused_attribute("unit", "a text", self.plugin.unit)
        if not isinstance(self.plugin.higher_is_better, bool):
            raise self.refused_attribute("higher_is_better", "True or False", self.plugin.higher_is_better)
        return {"needs": self.choice("needs", ("predictions", "probabilities")), "of": self.choice("of", ("classes", "values")),
                "value": "combined" if self._combines() else "mean",
                "unit": self.plugin.unit, "higher_is_better": self.plugin.higher_is_better}

    def measure(self, request: dict[str, Any]) -> dict[str, Any]:
        num_rows = int(request["rows"])
        numbers = self.plugin.contributions(self.memory.block(request))
        answer = Answer(self.plugin.contributions)
        shape = (num_rows, None) if self._combines() and _has_rows_of_numbers(numbers) else (num_rows,)
        array = answer.numbers("the contributions", numbers, "float64", shape)
        answer.finite("the contributions", array)
        if array.ndim == 2 and not 1 <= array.shape[1] <= MOST_NUMBERS:
            raise answer.refuse(f"1 to {MOST_NUMBERS} numbers of each sample", str(array.shape[1]))
        return self.answers.write(num_rows, {"contributions": array})

    def combine(self, request: dict[str, Any]) -> dict[str, Any]:
        sums = self.memory.block(request)["sums"]
        with np.errstate(all="ignore"):  # 0 / 0 is not a value.
            values = self.plugin.combine(sums)
        answer = Answer(self.plugin.combine)
        return self.answers.write(len(sums), {"value": answer.numbers("the values", _plain(values), "float64", (len(sums),))})

    def _combines(self) -> bool:
        return type(self.plugin).combine is not Measure.combine


def _has_rows_of_numbers(numbers: Any) -> bool:
    try:
        return np.ndim(numbers) == 2
    except ValueError:  # Rows of different lengths are refused later.
        return False


def _plain(values: Any) -> NDArray[Any] | Any:
    """The values with NaN where there is none."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    if isinstance(values, (list, tuple)):
        return [np.nan if value is None else value for value in values]
    return values
