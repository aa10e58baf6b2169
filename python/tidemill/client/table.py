"""A table of results: columns by name."""
from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidemill.client import look
from tidemill.client.extras import needed
from tidemill.client.times import shown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

# As many rows as a notebook shows.
_SHOWN = 20


class Table:
    """Rows of named columns, which no other library is needed for.

    It is a sequence of rows, each a dict:

        for row in run.scores():
            print(row["window_from"], row["value"])
        run.scores().to_pandas()

    Missing values are None, times are datetimes in UTC.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns: dict[str, list[Any]] = {name: list(values) for name, values in columns.items()}
        if len({len(values) for values in self.columns.values()}) > 1:
            raise ValueError("the columns of a table have the same number of rows")

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Table:
        """A table with these columns. What a row lacks is None."""
        listed = list(rows)
        return cls({name: [row.get(name) for row in listed] for name in names})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, row: int) -> dict[str, Any]:
        return {name: values[row] for name, values in self.columns.items()}

    def column(self, name: str) -> list[Any]:
        """The values of a column. Raises KeyError, with the names of all."""
        if name not in self.columns:
            raise KeyError(f"there is no column {name}; there are {', '.join(self.columns)}")
        return self.columns[name]

    def where(self, **values: Any) -> Table:
        """The rows whose columns have these values: `run.scores().where(measure="accuracy", active=True)`."""
        kept = [row for row in range(len(self)) if all(self.column(name)[row] == value for name, value in values.items())]
        return Table({name: [column[row] for row in kept] for name, column in self.columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """As a DataFrame of pandas. Needs `pip install tidemill[pandas]`."""
        frame: pandas.DataFrame = needed("pandas", "pandas").DataFrame(self.columns)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """As a DataFrame of polars. Needs `pip install tidemill[polars]`."""
        frame: polars.DataFrame = needed("polars", "polars").DataFrame(self.columns, infer_schema_length=None)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """As a table of Arrow. Needs `pip install tidemill[arrow]`."""
        table: pyarrow.Table = needed("pyarrow", "arrow").table(self.columns)
        return table

    def __repr__(self) -> str:
        names = list(self.columns)
        lines = [names, *([_text(row[name]) for name in names] for row in map(self.__getitem__, range(min(_SHOWN, len(self)))))]
        widths = [max(len(line[at]) for line in lines) for at in range(len(names))]
        text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
        return text + (f"\n({len(self) - _SHOWN} more rows)" if len(self) > _SHOWN else "")

    def _repr_html_(self) -> str:
        rows = [[_text(value) for value in self[row].values()] for row in range(min(_SHOWN, len(self)))]
        rest = f"{len(self) - _SHOWN} more rows" if len(self) > _SHOWN else ""
        return look.page(look.table(list(self.columns), rows, note=rest))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, datetime.datetime):
        return shown(value)
    first, _, more = str(value).partition("\n")
    return f"{first} ..." if more else first
