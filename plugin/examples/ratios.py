"""How one column relates to another, against what is usual.

    preprocess:
      graph:
        - parse_csv: {columns: [price, demand]}
        - plugin: {use: "ratios.py:Ratios", columns: [price, demand]}
        - stack: {columns: [price_per_demand], into: input}
"""
import numpy

from tidemill import plugin


class Ratios(plugin.Op):
    """Makes the first column divided by the second, in units of the mean over the samples that it learns from."""

    version = "1.0"
    fits = True
    least = plugin.Number(0, min=0, doc="The second column has to be above this.")

    def __init__(self):
        self.sum = 0.0
        self.rows = 0

    def outputs(self, inputs):
        if len(inputs) != 2 or any(column.type == "binary" or column.shape for column in inputs):
            raise ValueError("Ratios takes two columns of one number each")
        self.names = [column.name for column in inputs]
        return [plugin.ColumnType("_per_".join(self.names), "float32")]

    def ratios(self, block):
        """The ratio of each row, in double precision; NaN where there is none."""
        above, below = (block[name].astype(numpy.float64) for name in self.names)
        return numpy.divide(above, below, out=numpy.full(len(above), numpy.nan), where=below > self.least), below

    def fit(self, block):
        for ratio in self.ratios(block)[0].tolist():
            if ratio == ratio:
                self.sum += ratio
                self.rows += 1

    def apply(self, block):
        ratios, below = self.ratios(block)
        usual = self.sum / self.rows if self.rows and self.sum else 1.0
        bad = {row: f"{self.names[1]} is {below[row]:g}" for row in numpy.flatnonzero(numpy.isnan(ratios)).tolist()}
        return plugin.Made({"_per_".join(self.names): (ratios / usual).astype(numpy.float32)}, bad=bad)
