"""Charts as SVG, a line of the file for each series: small enough to be kept in git, and the same on every machine."""
import html
import math

FONT = 11
GREY = "#d9dce1"
INK = "#333333"
MARGIN = {"left": 62, "right": 14, "top": 26, "bottom": 40}


def place(value):
    """A coordinate: a tenth of a point is finer than a screen."""
    return f"{value:.1f}".removesuffix(".0")


def path(points, closed_by=""):
    return "M" + "L".join(f"{place(x)} {place(y)}" for x, y in points) + closed_by


def text(x, y, words, anchor="middle", size=FONT, more=""):
    return f'<text x="{place(x)}" y="{place(y)}" text-anchor="{anchor}" font-size="{size}"{more}>{html.escape(str(words))}</text>'


def number(value):
    return f"{value / 1e6:g} M" if abs(value) >= 1e6 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


class Axis:
    """Where values are on one side of a panel."""

    def __init__(self, values, log, length, names=()):
        self.log, self.length, self.names = log, length, names
        low, high = (-0.5, len(names) - 0.5) if names else (self.scaled(min(values)), self.scaled(max(values)))
        room = 0 if names else 0.06 * (high - low) or 0.5
        self.low, self.high = low - room, high + room

    def scaled(self, value):
        return math.log10(value) if self.log else value

    def at(self, value):
        return self.length * (self.scaled(value) - self.low) / (self.high - self.low)

    def ticks(self):
        """Pairs of a value and its label."""
        if self.names:
            return list(enumerate(self.names))
        found = self.log_ticks() if self.log else self.even_ticks()
        return [(value, number(value)) for value in found]

    def log_ticks(self):
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        steps = (1,) if self.high - self.low > 1.9 else (1, 2, 5) if self.high - self.low > 0.8 else (1, 1.5, 2, 3, 4, 5, 6, 8)
        return [step * 10.0 ** power for power in powers for step in steps if self.low <= math.log10(step) + power <= self.high]

    def even_ticks(self):
        raw = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(raw))
        step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= raw)
        first = math.ceil(self.low / step)
        return [round(step * i, 10) for i in range(first, math.floor(self.high / step) + 1)]


class Panel:
    """One chart. Series are added, and then it is drawn at its place in a picture."""

    def __init__(self, title, x_label, y_label="", width=440, height=250, x_log=False, y_log=False, y_names=()):
        self.title, self.x_label, self.y_label, self.width, self.height = title, x_label, y_label, width, height
        self.x_log, self.y_log, self.y_names = x_log, y_log, y_names
        self.series, self.notes, self.rules = [], [], []
        self.left = MARGIN["left"] if not y_names else 20 + 6 * max(map(len, y_names))

    def add(self, points, colour, label="", line="", dots=True, spread=(), sideways=False, step=False):
        """line: a stroke-dasharray, "solid", or nothing. spread: the least and the greatest value of each point."""
        self.series.append({"points": list(points), "colour": colour, "label": label, "line": line, "dots": dots,
                            "spread": list(spread), "sideways": sideways, "step": step})

    def note(self, words, x, y, size=FONT - 2):
        self.notes.append((words, x, y, size))

    def rule(self, x):
        """A vertical line."""
        self.rules.append(x)

    def axes(self):
        xs, ys = ([point[at] for one in self.series for point in one["points"]] for at in (0, 1))
        for one in self.series:
            (xs if one["sideways"] else ys).extend(value for pair in one["spread"] for value in pair)
        return (Axis(xs + self.rules, self.x_log, self.width - self.left - MARGIN["right"]),
                Axis(ys, self.y_log, self.height - MARGIN["top"] - MARGIN["bottom"], self.y_names))

    def legend(self):
        """Labels with their places, below the chart, as many in a row as fit."""
        x, row, places = 0, 0, []
        for one in self.series:
            if not one["label"]:
                continue
            length = 26 + 6 * len(one["label"])
            if x and x + length > self.width - 20:
                x, row = 0, row + 1
            places.append((one, 10 + x, self.height + 10 + 15 * row))
            x += length
        return places

    def whole_height(self):
        places = self.legend()
        return self.height + (places[-1][2] - self.height + 12 if places else 6)

    def draw(self):
        x_axis, y_axis = self.axes()
        to = lambda point: (self.left + x_axis.at(point[0]), MARGIN["top"] + y_axis.length - y_axis.at(point[1]))
        right, bottom = self.left + x_axis.length, MARGIN["top"] + y_axis.length
        x_ticks, y_ticks = x_axis.ticks(), y_axis.ticks()
        across = [self.left + x_axis.at(value) for value, _ in x_ticks]
        up = [bottom - y_axis.at(value) for value, _ in y_ticks]
        grid = "".join(path([(x, MARGIN["top"]), (x, bottom)]) for x in across)
        if not self.y_names:
            grid += "".join(path([(self.left, y), (right, y)]) for y in up)
        yield f'<path d="{grid}" stroke="{GREY}"/>'
        yield f'<path d="{path([(self.left, MARGIN["top"]), (self.left, bottom), (right, bottom)])}" stroke="{INK}" fill="none"/>'
        yield "".join(text(x, bottom + 14, label, size=FONT - 1) for x, (_, label) in zip(across, x_ticks))
        yield "".join(text(self.left - 5, y + 4, label, "end", FONT - 1) for y, (_, label) in zip(up, y_ticks))
        yield text((self.left + right) / 2, 16, self.title, size=FONT + 2)
        yield text((self.left + right) / 2, bottom + 31, self.x_label)
        if self.y_label:
            yield text(12, (MARGIN["top"] + bottom) / 2, self.y_label,
                       more=f' transform="rotate(-90 12 {place((MARGIN["top"] + bottom) / 2)})"')
        for x in self.rules:
            yield f'<path d="{path([(self.left + x_axis.at(x), MARGIN["top"]), (self.left + x_axis.at(x), bottom)])}" stroke="{INK}"/>'
        for one in self.series:
            yield from self.draw_series(one, to)
        if self.notes:
            yield "".join(self.draw_notes(to))
        for one, x, y in self.legend():
            yield (f'<path d="M{place(x)} {place(y)}h16" {self.stroke(one)}/>' if one["line"] else
                   f'<path d="M{place(x + 8)} {place(y)}h0" stroke="{one["colour"]}" stroke-width="6" stroke-linecap="round"/>') + text(
                       x + 21, y + 4, one["label"], "start")

    def draw_notes(self, to):
        """Beside their points, where there is room: a text over another could not be read, and is left out."""
        taken = []
        for words, *point, size in self.notes:
            x, y = to(point)
            length = 0.55 * size * len(str(words))
            for left, base in ((x + 5, y - 3), (x + 5, y + size), (x - 5 - length, y - 3), (x - 5 - length, y + size)):
                if self.left <= left <= self.width - length and all(abs(left - other) > (length if other > left else long) or abs(base - high) >= size
                                                       for other, high, long in taken):
                    taken.append((left, base, length))
                    yield text(left, base, words, "start", size)
                    break

    @staticmethod
    def stroke(one):
        dashes = "" if one["line"] == "solid" else f' stroke-dasharray="{one["line"]}"'
        return f'stroke="{one["colour"]}" fill="none" stroke-width="1.5"{dashes}'

    def draw_series(self, one, to):
        points = [to(point) for point in one["points"]]
        if one["line"] and points:
            if one["step"]:
                points = [corner for a, b in zip(points, points[1:]) for corner in (a, (b[0], a[1]))] + points[-1:]
            yield f'<path d="{path(points)}" {self.stroke(one)}/>'
        bars = ""
        for (x, y), (low, high) in zip(one["points"], one["spread"]):
            if low == high:
                continue
            ends = [(low, y), (high, y)] if one["sideways"] else [(x, low), (x, high)]
            bars += path([to(end) for end in ends])
        if bars:
            yield f'<path d="{bars}" stroke="{one["colour"]}"/>'
        if one["dots"]:
            marks = "".join(f"M{place(x)} {place(y)}h0" for x, y in map(to, one["points"]))
            yield f'<path d="{marks}" stroke="{one["colour"]}" stroke-width="6" stroke-linecap="round"/>'


def picture(panels, columns=1):
    """Panels in rows, as the text of a file."""
    lines, y, width = [], 0, 0
    for begin in range(0, len(panels), columns):
        row, x = panels[begin:begin + columns], 0
        for panel in row:
            lines += [f'<g transform="translate({x} {y})">', *panel.draw(), "</g>"]
            x += panel.width + 10
        width, y = max(width, x), y + max(panel.whole_height() for panel in row) + 14
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {place(y)}" font-family="sans-serif" fill="{INK}">',
                      '<rect width="100%" height="100%" fill="#ffffff"/>', *lines, "</svg>"]) + "\n"
