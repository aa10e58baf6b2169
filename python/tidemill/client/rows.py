"""Rows that a model is asked about, as text that `tidemill predict` reads, and its answers."""
from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tidemill.client.table import Table
from tidemill.errors import UsageError


class Predictions(Table):
    """One row for each row that was asked about: `row` from 1, `prediction`, and `problem`, which says why there is none.

    For classes also `probability`, and with `probabilities=True` the column `probability of NAME` for each class.
    """

    def __init__(self, columns: Mapping[str, list[Any]], summary: dict[str, Any]) -> None:
        super().__init__(columns)
        #: The model that answered, and the counts: see `tidemill predict --json`.
        self.summary = summary


def to_json_lines(rows: Any) -> str:
    """Dicts, a Table, or a DataFrame of pandas or polars, as one JSON object a line. Missing values are left out."""
    return "".join(json.dumps({name: _plain(value) for name, value in row.items() if not _is_missing(value)},
                              ensure_ascii=False, allow_nan=False) + "\n" for row in _rows_of(rows))


def _rows_of(rows: Any) -> Iterable[Mapping[str, Any]]:
    if hasattr(rows, "to_dicts"):  # polars
        listed: Iterable[Mapping[str, Any]] = rows.to_dicts()
    elif hasattr(rows, "to_pylist"):  # Arrow
        listed = rows.to_pylist()
    elif hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # pandas
        listed = rows.to_dict(orient="records")
    elif isinstance(rows, Mapping):
        raise UsageError("the rows are one dict", advice="put it into a list: predict(pipeline, [row])")
    else:
        listed = rows
    for number, row in enumerate(listed, 1):
        if not isinstance(row, Mapping):
            raise UsageError(f"row {number} is a {type(row).__name__}", advice="a row is a dict of its columns")
        yield row


def _is_missing(value: Any) -> bool:
    # NaN and NaT are the only values that are not themselves.
    return value is None or (not isinstance(value, (str, list, dict)) and bool(value != value))


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value


def predictions_of(output: str) -> Predictions:
    """What `tidemill predict --json` has printed: a line for each row, then the summary."""
    lines = [json.loads(line) for line in output.splitlines()]
    summary: dict[str, Any] = lines.pop()["summary"]
    names: dict[str, None] = {}
    for line in lines:
        for name, value in line.pop("probabilities", {}).items():
            line[f"probability of {name}"] = value
        names |= dict.fromkeys(line)
    # `row` or `key` first, `problem` last.
    first = [name for name in names if name in ("row", "key")] or ["row"]
    order = [*first, "prediction", *(name for name in names if name not in (*first, "prediction", "problem")), "problem"]
    return Predictions({name: [line.get(name) for line in lines] for name in order}, summary)
