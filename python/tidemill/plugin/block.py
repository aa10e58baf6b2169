"""Columns of the same number of rows, as plug-ins get them."""
from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin import arrow


class ByteStrings(Sequence[memoryview]):
    """A column of byte strings. Each is a memoryview of the column, without a copy; `bytes(column[3])` copies it."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, place: int) -> memoryview: ...

    @overload
    def __getitem__(self, place: slice) -> ByteStrings: ...

    def __getitem__(self, place: int | slice) -> memoryview | ByteStrings:
        if isinstance(place, slice):
            begin, end, step = place.indices(len(self))
            if step != 1:
                raise ValueError("byte strings are cut without a step")
            return ByteStrings(self.data, self.offsets[begin:max(begin, end) + 1])
        row = place + len(self) if place < 0 else place
        if not 0 <= row < len(self):
            raise IndexError(f"row {place} of {len(self)}")
        return self.data[self.offsets[row]:self.offsets[row + 1]].data

    def __iter__(self) -> Iterator[memoryview]:
        ends = self.offsets.tolist()
        whole = self.data.data
        return (whole[begin:end] for begin, end in zip(ends, ends[1:]))


class Block:
    """Columns by their names. `block["label"]` is a numpy array, or `ByteStrings`.

    Arrays are views of memory that is shared with Tidemill: they are read-only, nothing is copied, and they are valid
    during the call only. Take a copy of what you keep (`block["label"].copy()`).

    Arrow libraries take a block without a copy: `pyarrow.record_batch(block)`, `polars.DataFrame(block)`,
    `pandas.DataFrame.from_arrow(block)`. There a column with several numbers in a row is a fixed-size list.
    """

    def __init__(self, num_rows: int, columns: Mapping[str, NDArray[Any] | ByteStrings],
                 validity: Mapping[str, NDArray[np.uint8]] | None = None) -> None:
        """`validity`: for a column of which some rows have no value, a bit for each row, least significant first."""
        self.num_rows = num_rows
        self._columns = dict(columns)
        self._validity = dict(validity or {})

    def __getitem__(self, name: str) -> Any:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name}; there are {', '.join(self._columns) or 'none'}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def keys(self) -> KeysView[str]:
        """The names of the columns; `dict(block)` has the columns, too."""
        return self._columns.keys()

    def __repr__(self) -> str:
        return f"Block({self.num_rows} rows: {', '.join(self._columns)})"

    def valid(self, name: str) -> NDArray[np.bool_]:
        """For each row whether the column has a value there."""
        self[name]
        bits = self._validity.get(name)
        if bits is None:
            return np.ones(self.num_rows, dtype=bool)
        return np.unpackbits(bits, count=self.num_rows, bitorder="little").astype(bool)

    def __arrow_c_schema__(self) -> object:
        return arrow.schema_capsule(self._described())

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The block as Arrow's PyCapsules, a struct array. It does not change, whatever schema is asked for."""
        described = self._described()
        return arrow.schema_capsule(described), arrow.array_capsule(self.num_rows, described)

    def _described(self) -> list[arrow.Column]:
        described = []
        for name, column in self._columns.items():
            validity = self._validity.get(name)
            if isinstance(column, ByteStrings):
                described.append(arrow.Column(name, "Z", 0, self.num_rows, validity, (column.offsets, column.data)))
                continue
            values = np.ascontiguousarray(column)
            width = int(np.prod(values.shape[1:])) if values.ndim > 1 else 0
            described.append(arrow.Column(name, arrow.format_of(values.dtype), width if values.ndim > 1 else None,
                                          self.num_rows, validity, (values,)))
        return described
