"""An op: columns made of columns.

    preprocess:
      graph:
        - plugin: {use: "FILE_NAME.py:CLASS_NAME", columns: [price, demand], with: {scale: 0.5}}
"""
import numpy

from tidemill import plugin


class CLASS_NAME(plugin.Op):
    """Puts each column in units of its mean over the samples that it learns from."""

    version = "0.1"
    fits = True  # It learns from samples first.

    # What `with` may say.
    scale = plugin.Number(1, min=0, doc="By what the result is multiplied.")

    def outputs(self, inputs):
        """The columns that it makes of these."""
        self.names = [column.name for column in inputs]
        self.sums = dict.fromkeys(self.names, 0.0)
        self.rows = 0
        return [plugin.ColumnType(f"relative_{column.name}", "float32", column.shape) for column in inputs]

    def fit(self, block):
        """Learns from some rows. What it sets on `self` is what it has learnt."""
        for name in self.names:
            self.sums[name] += float(block[name].sum(dtype=numpy.float64))
        self.rows += block.num_rows

    def apply(self, block):
        """Makes the outputs of each row, independently of other rows. A row with a number that is not finite is a bad sample."""
        with numpy.errstate(divide="ignore", invalid="ignore"):
            return {f"relative_{name}": (block[name] / numpy.float64(self.sums[name] / self.rows) * self.scale)
                    .astype(numpy.float32) for name in self.names}
