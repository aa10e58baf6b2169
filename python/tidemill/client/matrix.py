"""The matrix of a run: what every model reaches in every window of time."""
from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from tidemill.client import matrix_drawing, quality_drawing
from tidemill.client.extras import needed
from tidemill.client.table import Table
from tidemill.client.times import of_cut
from tidemill.errors import NotFound
from tidemill.protos.evaluator.v1.evaluation_pb2 import Evaluation

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes

# As results/known_measures.cc has them.
ERRORS = ("mae", "rmse", "mse", "log_loss", "calibration_error", "expected_calibration_error", "brier", "loss")
_NOT_SHARES = (*ERRORS, "r2")
# A confusion matrix has no single value.
_NO_VALUE = "confusion_matrix"


@dataclasses.dataclass(frozen=True)
class Window:
    """An interval of event times, `[begin, end)`."""

    begin: datetime.datetime | None
    end: datetime.datetime | None


@dataclasses.dataclass(frozen=True, eq=False)
class Matrix:
    """The values of one measure on one dataset: a row for each model, a column for each window.

    `values` is NaN where a model was not measured, or where its value is undefined.
    """

    run: int
    dataset: str
    measure: str
    #: The index of the evaluation in the pipeline, from 0.
    evaluation: int
    #: For each row: the trigger whose training made the model, its number, and the time up to which it had seen data.
    triggers: tuple[int, ...]
    models: tuple[int, ...]
    trained_to: tuple[datetime.datetime | None, ...]
    #: For each column.
    windows: tuple[Window, ...]
    #: float64; the others have the same shape.
    values: NDArray[numpy.float64]
    #: The bounds of 95 % intervals; NaN without.
    low: NDArray[numpy.float64]
    high: NDArray[numpy.float64]
    num_samples: NDArray[numpy.int64]
    #: Where the model was in use when the window began: it has seen nothing of it.
    active: NDArray[numpy.bool_]
    #: Where the model was the first to be trained after the window: it has seen all of it.
    trained: NDArray[numpy.bool_]
    lower_is_better: bool

    @property
    def shape(self) -> tuple[int, int]:
        """The number of models, and of windows."""
        return len(self.triggers), len(self.windows)

    @property
    def is_share(self) -> bool:
        """Whether values are shares of one, which are shown in percent."""
        finite = self.values[numpy.isfinite(self.values)]
        return self.measure not in _NOT_SHARES and bool(((finite >= 0) & (finite <= 1)).all())

    def to_table(self) -> Table:
        """One row for each measured model and window."""
        rows = []
        for row, column in numpy.ndindex(*self.shape):
            value = float(self.values[row, column])
            if self.num_samples[row, column] == 0 and numpy.isnan(value):
                continue
            window = self.windows[column]
            rows.append({
                "trigger": self.triggers[row], "model": self.models[row], "trained_to": self.trained_to[row],
                "window_from": window.begin, "window_to": window.end, "value": _known(value),
                "low": _known(float(self.low[row, column])), "high": _known(float(self.high[row, column])),
                "samples": int(self.num_samples[row, column]), "active": bool(self.active[row, column]),
                "trained": bool(self.trained[row, column])})
        return Table.of_rows(("trigger", "model", "trained_to", "window_from", "window_to", "value", "low", "high", "samples",
                              "active", "trained"), rows)

    def to_pandas(self) -> pandas.DataFrame:
        """As a DataFrame of pandas, with the triggers as index and the beginnings of the windows as columns."""
        library = needed("pandas", "pandas")
        frame: pandas.DataFrame = library.DataFrame(
            self.values, index=library.Index(self.triggers, name="trigger"),
            columns=library.Index([window.begin for window in self.windows], name="window_from"))
        return frame

    def to_polars(self) -> polars.DataFrame:
        """As a DataFrame of polars: to_table(), as its names of columns are texts."""
        return self.to_table().to_polars()

    def to_arrow(self) -> pyarrow.Table:
        """As a table of Arrow: to_table()."""
        return self.to_table().to_arrow()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the matrix with matplotlib, as the report does. Needs `pip install tidemill[plot]`."""
        return matrix_drawing.plot(self, ax)

    def plot_quality(self, ax: Axes | None = None) -> Axes:
        """Draws what the models in use reached over time, beside the first model. Needs `pip install tidemill[plot]`."""
        return quality_drawing.plot(self, ax)

    def to_svg(self) -> str:
        """The matrix as an image in SVG, in the look of the report."""
        return matrix_drawing.svg(self)

    def __repr__(self) -> str:
        return matrix_drawing.text(self)

    def _repr_html_(self) -> str:
        return matrix_drawing.html(self)


def _known(value: float) -> float | None:
    return None if numpy.isnan(value) else float(value)


def matrices_of(run: int, rows: Iterable[Evaluation], trained_to: dict[int, datetime.datetime | None]) -> list[Matrix]:
    """The matrices of the results of a run, in the order of their first rows."""
    groups: dict[tuple[int, str, str], list[Evaluation]] = {}
    for row in rows:
        if not row.baseline and not row.slice and row.measure != _NO_VALUE:
            groups.setdefault((row.evaluation, row.dataset_name, row.measure), []).append(row)
    return [_matrix_of(run, key, cells, trained_to) for key, cells in groups.items()]


def _matrix_of(run: int, key: tuple[int, str, str], cells: Sequence[Evaluation],
               trained_to: dict[int, datetime.datetime | None]) -> Matrix:
    evaluation, dataset, measure = key
    model_of = {cell.trigger: cell.model_id for cell in cells}
    triggers = tuple(sorted(model_of))
    cuts = sorted({_window_key(cell) for cell in cells})
    row_at, column_at = ({value: at for at, value in enumerate(values)} for values in (triggers, cuts))
    shape = len(triggers), len(cuts)
    arrays: dict[str, NDArray[Any]] = {name: numpy.full(shape, numpy.nan) for name in ("values", "low", "high")}
    arrays["num_samples"] = numpy.zeros(shape, dtype=numpy.int64)
    arrays |= {name: numpy.zeros(shape, dtype=numpy.bool_) for name in ("active", "trained")}
    windows: list[Window] = [Window(None, None)] * len(cuts)
    for cell in cells:
        place = row_at[cell.trigger], column_at[_window_key(cell)]
        windows[place[1]] = Window(of_cut(getattr(cell, "from")), of_cut(cell.to))
        for name, field in (("values", "value"), ("low", "low"), ("high", "high")):
            if cell.HasField(field):
                arrays[name][place] = getattr(cell, field)
        arrays["num_samples"][place] = cell.num_samples
        arrays["active"][place], arrays["trained"][place] = cell.active, cell.trained
    return Matrix(run=run, dataset=dataset, measure=measure, evaluation=evaluation, triggers=triggers,
                  models=tuple(model_of[trigger] for trigger in triggers),
                  trained_to=tuple(trained_to.get(trigger) for trigger in triggers), windows=tuple(windows),
                  lower_is_better=measure in ERRORS, **arrays)


def _window_key(cell: Evaluation) -> tuple[int, int, int, int]:
    begin = getattr(cell, "from")
    return begin.event_time, begin.sample_key, cell.to.event_time, cell.to.sample_key


def chosen(matrices: Sequence[Matrix], measure: str | None, dataset: str | None) -> Matrix:
    """The first matrix of this measure and this dataset. Raises NotFound, with the names of all."""
    for matrix in matrices:
        if measure in (None, matrix.measure) and dataset in (None, matrix.dataset):
            return matrix
    known = ", ".join(f"{matrix.measure} on {matrix.dataset}" for matrix in matrices)
    asked = " on ".join(filter(None, (measure or "a measure", dataset)))
    if not matrices:
        raise NotFound("the run has no results yet", advice="wait for it with `run.wait()`; without `evaluation` it has none")
    raise NotFound(f"the run has no matrix of {asked}", advice=f"there are: {known}")
