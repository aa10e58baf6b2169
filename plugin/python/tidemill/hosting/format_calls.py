"""What is asked of formats."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.answers import Answer, listed_bad, shown
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import Format, Records, Split


class FormatCalls(KindCalls[Format]):
    """An instance of a format."""

    calls = KindCalls.calls | {"split", "read"}

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        extensions = self.plugin.extensions
        if isinstance(extensions, str) or not all(isinstance(name, str) and name.startswith(".") for name in extensions):
            raise self.refused_attribute("extensions", "a list of texts that begin with a dot", extensions)
        return {"extensions": list(extensions)}

    def split(self, request: dict[str, Any]) -> dict[str, Any]:
        piece = self.memory.block(request)["bytes"][0]
        split = self.plugin.split(piece, int(request["offset"]), bool(request["is_last"]))
        answer = Answer(self.plugin.split)
        answer.instance(split, Split, "a plugin.Split")
        begins = answer.numbers("begins", split.begins, "int64", (None,))
        ends = answer.numbers("ends", split.ends, "int64", (len(begins),))
        consumed = int(answer.number("consumed", split.consumed))
        # Records lie one behind another, and what is consumed lies behind them.
        places = np.append(np.stack([begins, ends], axis=1).reshape(-1), [consumed, len(piece)])
        if (np.diff(places, prepend=0) < 0).any():
            raise answer.refuse(f"records one behind another, then consumed, all from 0 to {len(piece)}",
                                f"{shown(places.tolist())}")
        return {**self.answers.write(len(begins), {"begin": begins, "end": ends}), "consumed": consumed}

    def read(self, request: dict[str, Any]) -> dict[str, Any]:
        num_rows = int(request["rows"])
        records = self.plugin.read(self.memory.block(request)["bytes"])
        answer = Answer(self.plugin.read)
        answer.instance(records, Records, "a plugin.Records")
        bad = answer.bad(records.bad, num_rows)
        columns, valid = {}, {}
        for name, values in (("label", records.labels), ("event_time", records.event_times)):
            if values is not None:
                columns[name], valid[name] = self._column(answer, name, values, num_rows)
        for name in columns:
            # A bad record has no value, whatever was returned for it.
            valid[name][list(bad)] = False
            if columns[name].dtype.kind == "f":
                answer.finite(name, np.where(valid[name], columns[name], 0))
        return {**self.answers.write(num_rows, columns, valid), "bad": listed_bad(bad)}

    @staticmethod
    def _column(answer: Answer, name: str, values: Any, num_rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        valid = np.ones(num_rows, bool)
        if isinstance(values, np.ma.MaskedArray):
            if len(values) == num_rows:
                valid = ~np.ma.getmaskarray(values)
            values = values.filled(0)
        elif isinstance(values, (list, tuple)):
            if len(values) == num_rows:
                valid = np.array([value is not None for value in values], bool)
            values = [0 if value is None else value for value in values]
        kind = getattr(np.asarray(values), "dtype", np.dtype(float)).kind
        dtype = "float64" if name == "label" and kind == "f" and num_rows else "int64"
        return answer.numbers(name, values, dtype, (num_rows,)), valid
