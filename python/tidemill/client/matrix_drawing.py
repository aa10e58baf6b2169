"""A matrix as text, in SVG, and as a plot of matplotlib, in the look of the report (cli/run_directory/web/matrix.js)."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from tidemill.client import look
from tidemill.client.extras import needed
from tidemill.client.times import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tidemill.client.matrix import Matrix

_CELL = (44, 24)
# More than a notebook has room for.
_MOST_CELLS = 4_000


def title(matrix: Matrix) -> str:
    """What the matrix is of."""
    return f"{matrix.measure} on {matrix.dataset}{', in %' if matrix.is_share else ''}"


def row_names(matrix: Matrix) -> list[str]:
    """The trigger of each model, and the time up to which it had seen data."""
    return [f"#{trigger} {shown(time)}" for trigger, time in zip(matrix.triggers, matrix.trained_to)]


def brief(matrix: Matrix, value: float) -> str:
    """A value in the room of a cell."""
    if math.isnan(value):
        return "-"
    return f"{value * 100:.{1 if matrix.shape[1] <= 8 else 0}f}" if matrix.is_share else f"{value:.3g}"


def colour_of(matrix: Matrix, value: float) -> tuple[int, int, int]:
    """From light for the worst value of the matrix to dark for its best."""
    if not math.isfinite(value):
        return 244, 246, 248
    finite = matrix.values[numpy.isfinite(matrix.values)]
    least, most = float(finite.min()), float(finite.max())
    share = 0.5 if least == most else (value - least) / (most - least)
    return look.ramp_colour(1 - share if matrix.lower_is_better else share)


def text(matrix: Matrix) -> str:
    """The matrix as `tidemill run` prints it: `*` marks the model that was in use."""
    width = max([2, len(str(len(matrix.windows))), *(len(brief(matrix, value)) for value in matrix.values.flat)]) + 1
    names = row_names(matrix)
    left = max(map(len, names), default=0)
    lines = [f"{title(matrix)}: model (row) by window (column)",
             " " * left + "".join(f"{column + 1:>{width}} " for column in range(len(matrix.windows))).rstrip()]
    for row, name in enumerate(names):
        cells = (f"{brief(matrix, value):>{width}}{'*' if matrix.active[row, column] else ' '}"
                 for column, value in enumerate(matrix.values[row]))
        lines.append((name.rjust(left) + "".join(cells)).rstrip())
    return "\n".join(lines)


def html(matrix: Matrix) -> str:
    """The matrix for a notebook."""
    if matrix.values.size > _MOST_CELLS:
        rows, columns = matrix.shape
        return look.page(look.paragraph(
            f"{title(matrix)}: {rows} models and {columns} windows are too many to draw here; to_pandas() has them"))
    keys = "solid: in use in this window; dashed: trained on this window"
    return look.page(look.paragraph(title(matrix)), f'<div class="scroll">{svg(matrix)}</div>',
                     look.paragraph(keys + ("; lower is better" if matrix.lower_is_better else ""), "note"))


def plot(matrix: Matrix, ax: Axes | None) -> Axes:
    """Draws the matrix on the axes of matplotlib, or on new ones."""
    rows, columns = matrix.shape
    if ax is None:
        pyplot = needed("matplotlib.pyplot", "plot")
        ax = pyplot.subplots(figsize=(min(24, 2.5 + 0.55 * columns), min(18, 1.6 + 0.36 * rows)), layout="constrained")[1]
    assert ax is not None
    colours = [[colour_of(matrix, value) for value in row] for row in matrix.values]
    ax.imshow(numpy.array(colours, dtype=numpy.uint8).reshape(rows, columns, 3), aspect="auto")
    for row in range(rows):
        for column in range(columns):
            _plot_cell(matrix, ax, row, column, look.ink_on(colours[row][column]))
    ax.set_xticks(range(columns), [shown(window.begin) for window in matrix.windows], rotation=90, fontsize=8)
    ax.set_yticks(range(rows), row_names(matrix), fontsize=8)
    ax.set_xlabel("window from (solid: in use there, dashed: trained on it)", fontsize=8)
    ax.set_title(title(matrix), fontsize=10)
    return ax


def _plot_cell(matrix: Matrix, ax: Axes, row: int, column: int, ink: str) -> None:
    patches = needed("matplotlib.patches", "plot")
    is_active = bool(matrix.active[row, column])
    ax.text(column, row, brief(matrix, matrix.values[row, column]), ha="center", va="center", fontsize=8, color=ink,
            fontweight="bold" if is_active else "normal")
    for mask, colour, style in ((matrix.active, "black", "solid"), (matrix.trained, look.SEEN, "dashed")):
        if mask[row, column]:
            ax.add_patch(patches.Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, fill=False, edgecolor=colour, linestyle=style,
                                           linewidth=1.5))


def svg(matrix: Matrix) -> str:
    """The matrix as an image in SVG: cells, their labels, and the frames of those in use and those trained."""
    left = 14 + 7 * max(map(len, row_names(matrix)), default=0)
    top = 14 + 7 * max((len(shown(window.begin)) for window in matrix.windows), default=0)
    rows, columns = matrix.shape
    width, height = left + columns * _CELL[0] + 4, top + rows * _CELL[1] + 4
    pieces = [_svg_head(shown(window.begin), left + column * _CELL[0] + _CELL[0] // 2 + 4, top - 6)
              for column, window in enumerate(matrix.windows)]
    for row, name in enumerate(row_names(matrix)):
        y = top + row * _CELL[1]
        pieces.append(f'<text font-size="11" text-anchor="end" x="{left - 6}" y="{y + 16}">{name}</text>')
        pieces += [_svg_cell(matrix, row, column, left + column * _CELL[0], y) for column in range(columns)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"><title>{look.escaped(title(matrix))}</title>{"".join(pieces)}</svg>')


def _svg_head(name: str, x: int, y: int) -> str:
    return f'<text class="muted" font-size="11" transform="translate({x},{y}) rotate(-90)">{name}</text>'


def _svg_cell(matrix: Matrix, row: int, column: int, x: int, y: int) -> str:
    (width, height), value, window = _CELL, matrix.values[row, column], matrix.windows[column]
    colour = colour_of(matrix, value)
    is_active = bool(matrix.active[row, column])
    told = (f"model #{matrix.triggers[row]} on {shown(window.begin)} to {shown(window.end)}, "
            f"{matrix.num_samples[row, column]} samples: {value:.4g}")
    frame = ""
    if is_active:
        frame = _frame(x, y, 'stroke="#000000" stroke-width="2.5"') + _frame(x + 2, y + 2, 'stroke="#ffffff"', less=4)
    elif matrix.trained[row, column]:
        frame = _frame(x, y, f'stroke="{look.SEEN}" stroke-width="2" stroke-dasharray="4 3"')
    return (f'<g><title>{look.escaped(told)}</title><rect x="{x}" y="{y}" width="{width}" height="{height}" '
            f'fill="{look.hexadecimal(colour)}" stroke="#ffffff"/>{frame}<text font-size="11" text-anchor="middle" '
            f'x="{x + width // 2}" y="{y + 16}" style="fill: {look.ink_on(colour)}" '
            f'font-weight="{700 if is_active else 400}">{brief(matrix, value)}</text></g>')


def _frame(x: int, y: int, stroke: str, less: int = 0) -> str:
    width, height = _CELL[0] - 3 - less, _CELL[1] - 3 - less
    return f'<rect x="{x + 1.5}" y="{y + 1.5}" width="{width}" height="{height}" fill="none" {stroke}/>'
