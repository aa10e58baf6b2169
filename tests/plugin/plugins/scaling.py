"""Ops that do what built-in ones do, and ops that do wrong."""
import ctypes
import os
import struct

import numpy
from tidemill import plugin


class Standardized(plugin.Op):
    """(x - mean) / std of each column, learnt row by row as the built-in op does."""

    fits = True

    def __init__(self):
        self.rows = 0
        self.means = []
        self.squares = []

    def outputs(self, inputs):
        self.names = [column.name for column in inputs]
        self.means = [0.0] * len(inputs)
        self.squares = [0.0] * len(inputs)
        return [plugin.ColumnType(column.name, "float32") for column in inputs]

    def fit(self, block):
        for row in zip(*(block[name].tolist() for name in self.names)):
            self.rows += 1
            weight = 1.0 / self.rows
            for i, value in enumerate(row):
                before = value - self.means[i]
                self.means[i] += before * weight
                self.squares[i] += before * (value - self.means[i])

    def fitted(self):
        self.deviations = [numpy.sqrt(square / self.rows) or 1.0 for square in self.squares]

    def apply(self, block):
        return {name: ((block[name].astype(numpy.float64) - self.means[i]) / self.deviations[i]).astype(numpy.float32)
                for i, name in enumerate(self.names)}


class Words(plugin.Op):
    """Byte strings in, byte strings and numbers out; empty ones are bad."""

    def outputs(self, inputs):
        return [plugin.ColumnType("upper", "binary"), plugin.ColumnType("length", "int64"),
                plugin.ColumnType("pair", "int32", (2,))]

    def apply(self, block):
        words = [bytes(word) for word in block[next(iter(block.keys()))]]
        lengths = numpy.array([len(word) for word in words], dtype=numpy.int64)
        return plugin.Made({"upper": [word.upper() for word in words], "length": lengths,
                            "pair": numpy.stack([lengths, -lengths], 1).astype(numpy.int32)},
                           bad={row: "the word is empty" for row, word in enumerate(words) if not word})


class Faulty(plugin.Op):
    """Does wrong with the rows whose number is negative."""

    how = plugin.Text("throw", doc="What it does wrong.")

    def outputs(self, inputs):
        if self.how == "no_outputs":
            return []
        if self.how == "refuse":
            raise ValueError("it takes other columns")
        return [plugin.ColumnType("y", "float32")]

    def apply(self, block):
        x = block["x"]
        if (x < 0).any():
            wrong = getattr(self, self.how)(x)
            if wrong is not None:
                return wrong
        return {"y": x * 2}

    def throw(self, x):
        raise ZeroDivisionError("negative")

    def crash(self, x):
        ctypes.string_at(8)

    def exit(self, x):
        os._exit(3)

    def loop(self, x):
        while True:
            pass

    def not_finite(self, x):
        return {"y": numpy.where(x < 0, numpy.nan, x * 2)}

    def too_few(self, x):
        return {"y": x[1:]}

    def wrong_row(self, x):
        return self.answer(b'{"ok": true, "rows": %d, "columns": [{"name": "y", "type": "float32", "shape": [], "at": 0}], '
                           b'"bad": [{"row": 1000000, "why": "x"}]}' % len(x))

    def outside(self, x):
        return self.answer(b'{"ok": true, "rows": %d, "columns": [{"name": "y", "type": "float32", "shape": [], '
                           b'"at": 67108800}]}' % (len(x) + 1000))

    @staticmethod
    def answer(text):
        """Speaks to the owner in the host's place."""
        os.write(3, struct.pack("<I", len(text)) + text)
        os._exit(0)
