"""Columns in the memories that host and owner share."""
from __future__ import annotations

import gc
import mmap
import os
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.hosting.faults import Refused
from tidemill.plugin import Block, ByteStrings

_ALIGNMENT = 64


class RequestMemory:
    """What the owner writes. Blocks of it are read-only views."""

    def __init__(self, descriptor: int) -> None:
        self._mapping = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ)
        self._lent: weakref.ref[NDArray[np.uint8]] | None = None
        self._floor: NDArray[np.uint8] | None = None

    def lend(self) -> None:
        """From here on to `take_back`, blocks can be made. All their arrays have one array as their base."""
        self._floor = np.frombuffer(self._mapping, np.uint8)
        self._lent = weakref.ref(self._floor)

    def take_back(self) -> bool:
        """False where some view is kept after the call: it would soon show other columns."""
        self._floor = None
        if self._lent is None or self._lent() is None:
            return True
        gc.collect()  # Dropped objects may refer to each other in a cycle.
        return self._lent() is None

    def block(self, described: Mapping[str, Any]) -> Block:
        """The columns that a request describes."""
        num_rows = int(described["rows"])
        columns: dict[str, NDArray[Any] | ByteStrings] = {}
        validity = {}
        for column in described["columns"]:
            name = column["name"]
            if column["type"] == "binary":
                offsets = self._numbers(column["offsets_at"], num_rows + 1, np.int64)
                columns[name] = ByteStrings(self._numbers(column["at"], int(offsets[-1]), np.uint8), offsets)
            else:
                shape = (num_rows, *column.get("shape", ()))
                flat = self._numbers(column["at"], int(np.prod(shape)), np.dtype(column["type"]))
                columns[name] = flat.reshape(shape)
            if column.get("validity_at") is not None:
                validity[name] = self._numbers(column["validity_at"], (num_rows + 7) // 8, np.uint8)
        return Block(num_rows, columns, validity)

    def _numbers(self, at: int, count: int, dtype: Any) -> NDArray[Any]:
        assert self._floor is not None
        size = count * np.dtype(dtype).itemsize
        if at < 0 or count < 0 or at + size > len(self._floor):
            raise Refused(f"a column of {size} bytes at {at} is outside the memory")
        return self._floor[at:at + size].view(dtype)


class AnswerMemory:
    """What the host writes: the columns of one answer, from the beginning."""

    def __init__(self, descriptor: int) -> None:
        self._size = os.fstat(descriptor).st_size
        self._floor = np.frombuffer(mmap.mmap(descriptor, 0), np.uint8)
        self._used = 0

    def write(self, num_rows: int, columns: Mapping[str, NDArray[Any] | list[bytes]],
              valid: Mapping[str, NDArray[np.bool_]] | None = None) -> dict[str, Any]:
        """Copies the columns, and describes them. `valid`: where a column has values, unless everywhere."""
        self._used = 0
        described = []
        for name, column in columns.items():
            if isinstance(column, list):
                offsets = np.zeros(num_rows + 1, np.int64)
                np.cumsum([len(text) for text in column], out=offsets[1:])
                entry = {"name": name, "type": "binary", "offsets_at": self._put(offsets),
                         "at": self._put(np.frombuffer(b"".join(column), np.uint8))}
            else:
                entry = {"name": name, "type": column.dtype.name, "shape": list(column.shape[1:]), "at": self._put(column)}
            if valid and name in valid:
                entry["validity_at"] = self._put(np.packbits(valid[name], bitorder="little"))
            described.append(entry)
        return {"rows": num_rows, "columns": described}

    def _put(self, values: NDArray[Any]) -> int:
        at = -(-self._used // _ALIGNMENT) * _ALIGNMENT
        if at + values.nbytes > self._size:
            raise Refused(f"the answer takes {at + values.nbytes} bytes or more, and the memory for it has {self._size}")
        target = self._floor[at:at + values.nbytes].view(values.dtype).reshape(values.shape)
        target[...] = values
        self._used = at + values.nbytes
        return at
