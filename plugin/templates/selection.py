"""A selection policy: on which samples to train.

    selection: {type: plugin, use: "FILE_NAME.py:CLASS_NAME", with: {samples: 1000}, over: all}
"""
import numpy

from tidemill import plugin


class CLASS_NAME(plugin.Selection):
    """Draws samples uniformly."""

    version = "0.1"
    # Whether weights keep the loss over the chosen samples that over all candidates, on average.
    unbiased = True

    # What `with` may say.
    samples = plugin.Integer(1000, min=1, doc="Samples to choose.")

    def __init__(self):
        self.seen = 0
        self.rows = numpy.empty(0, numpy.int64)
        self.drawn = numpy.empty(0, numpy.uint64)

    def looks_at(self):
        """What it looks at in candidates beside their keys."""
        return []

    def add(self, block):
        """Takes some candidates. Keeps those that may be chosen, whatever comes after them."""
        rows = numpy.arange(self.seen, self.seen + block.num_rows)
        self.seen += block.num_rows
        rows = numpy.concatenate([self.rows, rows])
        drawn = numpy.concatenate([self.drawn, self.lots(block["key"])])
        best = numpy.sort(numpy.argsort(drawn, kind="stable")[:self.samples])
        self.rows, self.drawn = rows[best], drawn[best]

    def choose(self, num_candidates):
        """The rows that are chosen, counted from the first candidate."""
        return self.rows
