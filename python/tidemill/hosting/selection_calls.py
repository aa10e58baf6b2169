"""What is asked of selections."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.answers import Answer, shown
from tidemill.hosting.calls import KindCalls
from tidemill.hosting.faults import Refused
from tidemill.plugin import Chosen, Selection
from tidemill.plugin.base import LOTS, TARGET
from tidemill.plugin.lots import LotFormula

_FACTS = ("event_times", "labels", "embeddings", "predictions")
_END = object()
# More candidates than exist: a state does not say how many there were.
_UNKNOWN = 2**62


class SelectionCalls(KindCalls[Selection]):
    """An instance of a selection, and how far its choice is."""

    calls = KindCalls.calls | {"add", "choose"}

    _num_added = 0
    _last_row = -1
    _weighted: bool | None = None
    # What is chosen and not yet told, and what is still to come.
    _rows: NDArray[Any] = np.empty(0, np.int64)
    _weights: NDArray[Any] = np.empty(0, np.float32)
    _coming: Iterator[Any] | None = None

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        if "lots" in request:
            said = request["lots"]
            self.plugin.__dict__[LOTS] = LotFormula(int(said["times"]), int(said["flip"]), int(said["plus"]))
        looks_at = Answer(self.plugin.looks_at).names(
            self.plugin.looks_at(), lambda name: name in _FACTS or (name.startswith("column:") and len(name) > 7),
            ", ".join(_FACTS) + " and column:NAME")
        if not isinstance(self.plugin.unbiased, bool):
            raise self.refused_attribute("unbiased", "True or False", self.plugin.unbiased)
        return {"looks_at": looks_at, "unbiased": self.plugin.unbiased}

    def add(self, request: dict[str, Any]) -> dict[str, Any]:
        self._num_added += int(request["rows"])
        chosen = self.plugin.add(self.memory.block(request))
        if chosen is None:
            return {}
        rows, weights = self._taken(Answer(self.plugin.add), chosen, self._num_added)
        return self._told(rows, weights)

    def choose(self, request: dict[str, Any]) -> dict[str, Any]:
        num_candidates, most_rows = int(request["num_candidates"]), int(request["most_rows"])
        if most_rows < 1:
            raise Refused(f"most_rows is {most_rows}")
        self.plugin.__dict__[TARGET] = request.get("target")
        answer = Answer(self.plugin.choose)
        if self._coming is None:
            self._coming = self._pieces(self.plugin.choose(num_candidates))
        try:
            while len(self._rows) < most_rows and (piece := next(self._coming, _END)) is not _END:
                rows, weights = self._taken(answer, piece, num_candidates)
                self._rows = np.append(self._rows, rows) if len(self._rows) else rows
                self._weights = np.append(self._weights, weights) if len(self._weights) else weights
        except BaseException:
            self._start_again()
            raise
        told = self._told(self._rows[:most_rows], self._weights[:most_rows])
        told["done"] = len(self._rows) < most_rows
        self._rows, self._weights = self._rows[most_rows:], self._weights[most_rows:]
        if told["done"]:
            self._start_again()
        return told

    def restore(self, request: dict[str, Any]) -> dict[str, Any]:
        self._start_again()
        self._num_added = _UNKNOWN
        return super().restore(request)

    def _start_again(self) -> None:
        self._coming, self._last_row, self._weighted, self._num_added = None, -1, None, 0
        self._rows, self._weights = self._rows[:0], self._weights[:0]

    @staticmethod
    def _pieces(chosen: Any) -> Iterator[Any]:
        """The pieces of a choice; one, where it is not yielded in pieces."""
        return chosen if isinstance(chosen, Iterator) else iter([chosen])

    def _taken(self, answer: Answer, chosen: Any, num_candidates: int) -> tuple[NDArray[Any], NDArray[Any]]:
        if not isinstance(chosen, Chosen):
            if not isinstance(chosen, (list, tuple, range, np.ndarray)):
                raise answer.refuse("rows, or plugin.Chosen", shown(chosen))
            chosen = Chosen(chosen)
        rows = answer.numbers("the rows", chosen.rows, "int64", (None,))
        ordered = np.append(self._last_row, rows)
        if (np.diff(ordered) <= 0).any():
            place = int(np.argmax(np.diff(ordered) <= 0))
            raise answer.refuse("ascending rows, each once", f"{ordered[place + 1]} after {ordered[place]}")
        if len(rows) and rows[-1] >= num_candidates:
            raise answer.refuse(f"rows below {num_candidates}", str(rows[-1]))
        self._last_row = int(ordered[-1])
        weighted = chosen.weights is not None
        if len(rows) and self._weighted not in (None, weighted):
            raise answer.refuse("weights for all rows or for none", "some with and some without")
        if len(rows):
            self._weighted = weighted
        return rows, self._checked_weights(answer, chosen, len(rows))

    @staticmethod
    def _checked_weights(answer: Answer, chosen: Chosen, count: int) -> NDArray[Any]:
        if chosen.weights is None:
            return np.ones(count, np.float32)
        weights = answer.numbers("the weights", chosen.weights, "float32", (count,))
        answer.finite("the weights", weights)
        if count and weights.min() < 0:
            raise answer.refuse("weights that are not negative", f"{weights.min()} in row {int(weights.argmin())}")
        return weights

    def _told(self, rows: NDArray[Any], weights: NDArray[Any]) -> dict[str, Any]:
        return self.answers.write(len(rows), {"row": rows, **({"weight": weights} if self._weighted else {})})
