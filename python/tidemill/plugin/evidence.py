"""What triggers look at, and how they get it."""
from __future__ import annotations

import dataclasses
import datetime
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin.block import Block

Since = Literal["decision", "training", "beginning"]
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclasses.dataclass(frozen=True)
class Cut:
    """A place in the stream: microseconds since 1970 in UTC, and the key of a sample."""

    event_time: int
    key: int

    @property
    def time(self) -> datetime.datetime:
        """The event time, in UTC."""
        return _EPOCH + datetime.timedelta(microseconds=self.event_time)


@dataclasses.dataclass(frozen=True)
class Table:
    """Something to look at, for each sample. Use one of the classes below.

    `since`: samples that came since the last decision, since the last training, or since the beginning. `newest` is how many of
    the last ones, `most_rows` the largest number, which are drawn by their keys. 0 means all.
    """

    since: Since = "decision"
    newest: int = 0
    most_rows: int = 0
    columns: tuple[str, ...] = ()

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.since not in ("decision", "training", "beginning"):
            raise ValueError(f"since has to be decision, training or beginning, and is {self.since!r}")
        for name in ("newest", "most_rows"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
                raise ValueError(f"{name} has to be a whole number from 0 on, and is {value!r}")

    def described(self, name: str) -> dict[str, Any]:
        """What a host reports about it."""
        return {"name": name, "kind": self.kind, "since": self.since, "newest": int(self.newest),
                "most_rows": int(self.most_rows), "columns": list(self.columns)}


class _OfSamples(Table):
    """What needs no columns."""

    def __init__(self, since: Since = "decision", newest: int = 0, most_rows: int = 0) -> None:
        super().__init__(since, newest, most_rows)


class Samples(_OfSamples):
    """The samples themselves: their keys and event times, as `SampleRows`."""

    kind = "samples"


class Errors(_OfSamples):
    """The mistakes of the active model: 0 or 1 for classes, |predicted - true| for real labels. An array [rows]."""

    kind = "errors"


class Predictions(_OfSamples):
    """What the active model says: a probability for each class, or the value. An array [rows, numbers]."""

    kind = "predictions"


class Embeddings(_OfSamples):
    """What the last layer of the active model is given. An array [rows, numbers]."""

    kind = "embeddings"


class Labels(_OfSamples):
    """The labels. An array [rows]."""

    kind = "labels"


class Columns(Table):
    """Numbers of the records, by the names of their columns. An array [rows, columns], in the order of the names."""

    kind = "columns"

    def __init__(self, *columns: str, since: Since = "decision", newest: int = 0, most_rows: int = 0) -> None:
        if not columns or not all(isinstance(name, str) and name for name in columns):
            raise ValueError(f"Columns needs names of columns, and got {columns!r}")
        super().__init__(since, newest, most_rows, columns)


@dataclasses.dataclass(frozen=True)
class SampleRows:
    """The samples of a table, in the order of the stream."""

    keys: NDArray[np.int64]
    event_times: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


class Evidence(Mapping[str, Any]):
    """What a trigger sees at a decision.

    `evidence["errors"]` is the table that `looks_at` calls "errors": a numpy array of float64 with a row for each sample,
    or `SampleRows` for samples. Arrays are read-only views, and valid during the call only: copy what you keep.
    """

    def __init__(self, at: Cut, num_new: int, has_model: bool, tables: Mapping[str, tuple[Table, Block, int]]) -> None:
        """`tables`: what was asked for, what came and how many samples are missing, by name."""
        self.at = at
        """The place of the decision in the stream."""
        self.num_new = num_new
        """Samples since the last training."""
        self.has_model = has_model
        """Whether there is a model yet. Before the first training tables about a model are empty."""
        self._tables = dict(tables)

    def __getitem__(self, name: str) -> Any:
        asked, block, _ = self._table(name)
        if isinstance(asked, Samples):
            return SampleRows(block["key"], block["event_time"])
        values = block["values"]
        if isinstance(asked, (Errors, Labels)):
            return values.reshape(block.num_rows)
        return values.reshape(block.num_rows, math.prod(values.shape[1:]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """`evidence[name]` of a table of numbers, for those who check types."""
        array: NDArray[np.float64] = self[name]
        return array

    def samples(self, name: str) -> SampleRows:
        """`evidence[name]` of a table of samples, for those who check types."""
        rows: SampleRows = self[name]
        return rows

    def sample_keys(self, name: str) -> NDArray[np.int64]:
        """The keys of the samples in the table's rows. A sample without a label has no error, so tables differ in this."""
        keys: NDArray[np.int64] = self._table(name)[1]["key"]
        return keys

    def aligned(self, *names: str) -> tuple[NDArray[np.float64], ...]:
        """Tables of numbers, each with the rows of the samples that are in all of them, in the order of the stream."""
        common = np.ones(len(self.sample_keys(names[0])), bool)
        for name in names[1:]:
            common &= np.isin(self.sample_keys(names[0]), self.sample_keys(name))
        wanted = self.sample_keys(names[0])[common]
        return tuple(self.numbers(name)[np.isin(self.sample_keys(name), wanted)] for name in names)

    def missing(self, name: str) -> int:
        """How many samples of the table could not be looked at."""
        return self._table(name)[2]

    def block(self, name: str) -> Block:
        """The table as columns, which Arrow libraries take: `key` and `values`, or `key` and `event_time`."""
        return self._table(name)[1]

    def _table(self, name: str) -> tuple[Table, Block, int]:
        try:
            return self._tables[name]
        except KeyError:
            raise KeyError(f"looks_at has no {name}; it has {', '.join(self._tables) or 'nothing'}") from None


def evidence_for(looks_at: Mapping[str, Table], *, num_new: int = 0, has_model: bool = True, at: Cut = Cut(0, 0),
                 keys: Mapping[str, Any] | None = None, **tables: Any) -> Evidence:
    """Evidence for a test of a trigger, with a table for each name of `looks_at`.

        surprise = plugin.create(Surprise)
        seen = surprise.observe(plugin.evidence_for(surprise.looks_at(), errors=[0, 1, 1]))

    A table of samples is their keys, or `(keys, event_times)`; one that is not given is empty. `keys`: the samples of the
    rows of a table, by its name; without it the first rows are the first samples of the stream.
    """
    unknown = set(tables) - set(looks_at)
    if unknown:
        raise TypeError(f"looks_at has no {', '.join(sorted(unknown))}; it has {', '.join(looks_at) or 'nothing'}")
    made = {}
    for name, table in looks_at.items():
        given = tables.get(name, [])
        if isinstance(table, Samples):
            sample_keys, times = given if isinstance(given, tuple) else (given, np.zeros(len(given)))
            columns: dict[str, np.ndarray[Any, Any]] = {"key": np.array(sample_keys, np.int64),
                                                        "event_time": np.array(times, np.int64)}
        else:
            values = np.array(given, np.float64)
            columns = {"key": np.array((keys or {}).get(name, np.arange(len(values))), np.int64), "values": values}
        if len(columns["key"]) != len(columns.get("values", columns["key"])):
            raise TypeError(f"the table {name} has {len(columns['values'])} rows and {len(columns['key'])} keys")
        made[name] = (table, Block(len(columns["key"]), columns), 0)
    return Evidence(at, num_new, has_model, made)
