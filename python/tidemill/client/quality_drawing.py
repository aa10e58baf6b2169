"""Quality over time: what the models in use reached, in the look of the report (cli/run_directory/web/curves.js)."""
from __future__ import annotations

import dataclasses
import datetime
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy
from numpy.typing import NDArray

from tidemill.client import look
from tidemill.client.extras import needed
from tidemill.client.times import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tidemill.client.matrix import Matrix, Window

_WIDTH, _HEIGHT = 760, 240
_LEFT, _BOTTOM, _TOP = 46, 26, 10
_MOST_TICKS = 6


@dataclasses.dataclass(frozen=True)
class Line:
    """A value for each window, NaN without one."""

    name: str
    colour: str
    #: The lengths of dashes and gaps; empty for a solid line.
    dashes: tuple[int, ...]
    width: float
    values: NDArray[numpy.float64]


def lines_of(matrix: Matrix) -> list[Line]:
    """The models in use last, so that they are drawn above the others."""
    scale = 100 if matrix.is_share else 1
    in_use, trained = (_of_column(matrix.values, mask) * scale for mask in (matrix.active, matrix.trained))
    first = numpy.where(numpy.isnan(in_use), numpy.nan, matrix.values[0] * scale)
    return [Line("each model on the window that it was trained on", look.SEEN, (2, 4), 1.5, trained),
            Line("first model, never retrained", "#c4560a", (8, 5), 2, first), Line("models in use", "#0a62c2", (), 3, in_use)]


def interval_of(matrix: Matrix) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """The bounds of the 95 % intervals of the models in use."""
    scale = 100 if matrix.is_share else 1
    return _of_column(matrix.low, matrix.active) * scale, _of_column(matrix.high, matrix.active) * scale


def _of_column(values: NDArray[numpy.float64], mask: NDArray[numpy.bool_]) -> NDArray[numpy.float64]:
    """The value of the row that the mask chooses in each column; NaN where it chooses none."""
    rows = mask.argmax(axis=0)
    chosen: NDArray[numpy.float64] = numpy.where(mask.any(axis=0), values[rows, numpy.arange(values.shape[1])], numpy.nan)
    return chosen


def _ends(windows: Iterable[Window]) -> list[tuple[datetime.datetime, datetime.datetime]]:
    """Beginnings and ends. Windows that end after the next one begins are cut there."""
    listed = [(window.begin, window.end) for window in windows]
    ends = []
    for (begin, end), (following, _) in zip(listed, [*listed[1:], (None, None)]):
        begin = begin or datetime.datetime.min.replace(tzinfo=datetime.UTC)
        end = end or begin
        ends.append((begin, max(begin, min(end, following or end))))
    return ends


def plot(matrix: Matrix, ax: Axes | None) -> Axes:
    """Draws the lines on the axes of matplotlib, or on new ones."""
    if ax is None:
        ax = needed("matplotlib.pyplot", "plot").subplots(figsize=(9, 3.4), layout="constrained")[1]
    assert ax is not None
    ends = _ends(matrix.windows)
    times = [time for window in ends for time in window]
    low, high = (numpy.repeat(bound, 2) for bound in interval_of(matrix))
    ax.fill_between(times, low, high, color="#0a62c2", alpha=0.16, linewidth=0)  # type: ignore[arg-type]
    for line in lines_of(matrix):
        style = (0, line.dashes) if line.dashes else "solid"
        ax.plot(times, numpy.repeat(line.values, 2), label=line.name, color=line.colour,  # type: ignore[arg-type]
                linewidth=line.width * 0.8, linestyle=style)
    ax.set_ylabel(f"{matrix.measure}{' (%)' if matrix.is_share else ''}")
    ax.set_title(f"{matrix.measure} on {matrix.dataset}", fontsize=10)
    ax.legend(fontsize=8, frameon=False)
    return ax


def svg(matrix: Matrix) -> str:
    """The lines as an image in SVG; empty where no model was in use."""
    lines, (low, high) = lines_of(matrix), interval_of(matrix)
    finite = numpy.concatenate([values[numpy.isfinite(values)] for values in (*(line.values for line in lines), low, high)])
    if not matrix.active.any() or not finite.size:
        return ""
    ends = _ends(matrix.windows)
    begin, end = ends[0][0].timestamp(), max(ends[-1][1].timestamp(), ends[0][0].timestamp() + 1)
    ticks = _ticks(float(finite.min()), float(finite.max()))

    def x_of(time: datetime.datetime) -> float:
        return _LEFT + (_WIDTH - _LEFT - 8) * (time.timestamp() - begin) / (end - begin)

    def y_of(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (ticks[-1] - value) / (ticks[-1] - ticks[0])

    pieces = [_svg_tick(tick, y_of(tick)) for tick in ticks]
    for at in range(0, len(ends), max(1, -(-len(ends) // _MOST_TICKS))):
        time = ends[at][0]
        anchor = "end" if x_of(time) > _WIDTH - 70 else "start"
        pieces.append(f'<text class="muted" font-size="11" text-anchor="{anchor}" x="{x_of(time):.1f}" '
                      f'y="{_HEIGHT - 8}">{shown(time)}</text>')
    for (left, right), bottom, top in zip(ends, low, high):
        if math.isfinite(bottom) and math.isfinite(top):
            pieces.append(f'<rect x="{x_of(left):.1f}" y="{y_of(top):.1f}" width="{x_of(right) - x_of(left):.1f}" '
                          f'height="{y_of(bottom) - y_of(top):.1f}" fill="#0a62c2" fill-opacity="0.16"/>')
    pieces += [_svg_line(line, ends, x_of, y_of) for line in lines]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{_HEIGHT}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}">'
            f"<title>{look.escaped(matrix.measure)} by window</title>{''.join(pieces)}</svg>")


def keys() -> str:
    """What the lines are, as HTML."""
    return ('<p class="note"><span style="color:#0a62c2">━</span> models in use, with 95 % intervals &nbsp; '
            '<span style="color:#c4560a">╍</span> first model, never retrained &nbsp; '
            f'<span style="color:{look.SEEN}">┅</span> each model on the window that it was trained on</p>')


def _ticks(least: float, most: float) -> list[float]:
    """Round values, from at or below the least to at or above the most."""
    rough = max(most - least, 1e-9) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.floor(least / step), max(math.ceil(most / step), math.floor(least / step) + 1)
    return [number * step for number in range(first, last + 1)]


def _svg_tick(tick: float, y: float) -> str:
    return (f'<line x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d5dbe1"/>'
            f'<text class="muted" font-size="11" text-anchor="end" x="{_LEFT - 6}" y="{y + 4:.1f}">{tick:.6g}</text>')


def _svg_line(line: Line, ends: list[tuple[datetime.datetime, datetime.datetime]], x_of: Callable[[datetime.datetime], float],
              y_of: Callable[[float], float]) -> str:
    path, is_drawn = "", False
    for (left, right), value in zip(ends, line.values):
        if math.isfinite(value):
            path += f"{'L' if is_drawn else 'M'}{x_of(left):.1f},{y_of(value):.1f}L{x_of(right):.1f},{y_of(value):.1f}"
        is_drawn = math.isfinite(value)
    dashes = f' stroke-dasharray="{" ".join(map(str, line.dashes))}"' if line.dashes else ""
    return f'<path d="{path}" fill="none" stroke="{line.colour}" stroke-width="{line.width}"{dashes}/>' if path else ""
