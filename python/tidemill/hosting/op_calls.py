"""What is asked of ops."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.answers import Answer, listed_bad, shown
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import ColumnType, Made, Op


class OpCalls(KindCalls[Op]):
    """An instance of an op, and the columns that it makes."""

    calls = KindCalls.calls | {"fit", "fitted", "apply"}

    _outputs: list[ColumnType] = []

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        inputs = [ColumnType(column["name"], column["type"], tuple(column.get("shape", ()))) for column in request["inputs"]]
        answer = Answer(self.plugin.outputs)
        outputs = self.plugin.outputs(inputs)
        if not isinstance(outputs, (list, tuple)) or not outputs:
            raise answer.refuse("a list of plugin.ColumnType", shown(outputs))
        for column in outputs:
            answer.instance(column, ColumnType, "a list of plugin.ColumnType")
        answer.names([column.name for column in outputs], bool, "columns with names")
        if not isinstance(self.plugin.fits, bool):
            raise self.refused_attribute("fits", "True or False", self.plugin.fits)
        self._outputs = list(outputs)
        return {"outputs": [column.described() for column in outputs], "fits": self.plugin.fits}

    def fit(self, request: dict[str, Any]) -> dict[str, Any]:
        self.plugin.fit(self.memory.block(request))
        return self.seal(request)

    def fitted(self, request: dict[str, Any]) -> dict[str, Any]:
        self.plugin.fitted()
        return self.seal(request)

    def apply(self, request: dict[str, Any]) -> dict[str, Any]:
        num_rows = int(request["rows"])
        made = self.plugin.apply(self.memory.block(request))
        answer = Answer(self.plugin.apply)
        if not isinstance(made, Made):
            made = Made(made)
        if not isinstance(made.columns, Mapping):
            raise answer.refuse("a dict of names and columns, or plugin.Made", shown(made.columns))
        answer.names(list(made.columns), lambda name: name in {column.name for column in self._outputs},
                     "the columns " + ", ".join(column.name for column in self._outputs))
        bad = answer.bad(made.bad, num_rows)
        columns = {column.name: self._column(answer, column, made.columns, num_rows) for column in self._outputs}
        for name, values in columns.items():
            if not isinstance(values, list) and values.dtype.kind == "f":
                _reject_not_finite(name, values, bad)
        return {**self.answers.write(num_rows, columns), "bad": listed_bad(bad)}

    @staticmethod
    def _column(answer: Answer, column: ColumnType, made: Mapping[str, Any], num_rows: int) -> NDArray[Any] | list[bytes]:
        if column.name not in made:
            raise answer.refuse(f"the column {column.name}", f"only {', '.join(made) or 'none'}")
        if column.type == "binary":
            return answer.byte_strings(column.name, made[column.name], num_rows)
        return answer.numbers(column.name, made[column.name], column.type, (num_rows, *column.shape))


def _reject_not_finite(name: str, values: NDArray[Any], bad: dict[int, str]) -> None:
    """Rows with numbers that are not finite are bad, as those that Tidemill's own ops make."""
    rows = values.reshape(len(values), values[0].size if len(values) else 1)
    for row in np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist():
        number = rows[row][~np.isfinite(rows[row])][0]
        bad.setdefault(row, f"column {name} holds {number}, which is not a finite number")
