"""What is asked of formats."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.answers import Answer, listed_bad
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import Format, Piece, Records

LARGEST_HEAD = 1024 * 1024


class FormatCalls(KindCalls[Format]):
    """An instance of a format."""

    calls = KindCalls.calls | {"read"}
    copying = "bytes(piece.bytes)"

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        head_bytes = self.plugin.head_bytes
        if isinstance(head_bytes, bool) or not isinstance(head_bytes, int) or not 0 <= head_bytes <= LARGEST_HEAD:
            raise self.refused_attribute("head_bytes", f"a whole number from 0 to {LARGEST_HEAD}", head_bytes)
        return {"head_bytes": head_bytes}

    def read(self, request: dict[str, Any]) -> dict[str, Any]:
        block = self.memory.block(request)
        bytes_ = block["bytes"][0]
        piece = Piece(bytes_, int(request["offset"]), bool(request["is_last"]),
                      block["head"][0] if "head" in block else memoryview(b""))
        records = self.plugin.read(piece)
        answer = Answer(self.plugin.read)
        answer.instance(records, Records, "a plugin.Records")
        begins, ends, consumed = _places(answer, records, len(bytes_))
        bad = answer.bad(records.bad, len(begins))
        columns, valid = {"begin": begins, "end": ends}, {}
        for name, values in (("label", records.labels), ("event_time", records.event_times)):
            if values is not None:
                columns[name], valid[name] = _column(answer, name, values, len(begins))
                # A bad record has no value, whatever was returned for it.
                valid[name][list(bad)] = False
                if columns[name].dtype.kind == "f":
                    answer.finite(name, np.where(valid[name], columns[name], 0))
        valid = {name: has for name, has in valid.items() if not has.all()}
        return {**self.answers.write(len(begins), columns, valid), "consumed": consumed, "bad": listed_bad(bad)}


def _places(answer: Answer, records: Records, size: int) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Where records are: not empty, one after another; the consumed bytes end after them."""
    begins = _offsets(answer, "begins", records.begins)
    ends = _offsets(answer, "ends", records.ends)
    if len(begins) != len(ends):
        raise answer.refuse(f"{len(begins)} ends, as there are begins", str(len(ends)))
    last = int(ends[-1]) if len(ends) else 0
    consumed = last if records.consumed is None else int(answer.number("consumed", records.consumed))
    if not last <= consumed <= size or (len(begins) and begins[0] < 0):
        raise answer.refuse(f"records, then consumed, all from 0 to {size}",
                            f"records from {int(begins[0]) if len(begins) else 0} to {last}, consumed {consumed}")
    wrong = np.flatnonzero(begins >= ends)
    if len(wrong):
        raise answer.refuse("records that have bytes", f"record {wrong[0]} from {begins[wrong[0]]} to {ends[wrong[0]]}")
    wrong = np.flatnonzero(begins[1:] < ends[:-1])
    if len(wrong):
        raise answer.refuse("records one after another",
                            f"record {wrong[0] + 1} from {begins[wrong[0] + 1]}, where the one before ends at "
                            f"{ends[wrong[0]]}")
    return begins, ends, consumed


def _offsets(answer: Answer, name: str, values: Any) -> NDArray[Any]:
    if isinstance(values, (list, tuple)) and not values:
        return np.empty(0, np.int64)
    return answer.numbers(name, values, "int64", (None,))


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
