"""Measures that Tidemill has, too, and one that does what plug-ins may not do."""
import math
import os
import time

import numpy as np
from tidemill import plugin


class Right(plugin.Measure):
    """The share of samples whose class was predicted: a mean."""

    def contributions(self, block):
        return block["label"] == block["prediction"]


class RightShare(plugin.Measure):
    """The same, made of two sums."""

    def contributions(self, block):
        return np.column_stack([block["label"] == block["prediction"], np.ones(block.num_rows)])

    def combine(self, sums):
        return sums[:, 0] / sums[:, 1]


class Loss(plugin.Measure):
    """The mean negative logarithm of the probability of the true class."""

    needs = "probabilities"
    higher_is_better = False

    def contributions(self, block):
        of_truth = block["probabilities"][np.arange(block.num_rows), block["label"]]
        least = np.finfo(np.float32).eps
        return [-math.log(max(float(probability), float(least))) for probability in of_truth]


class AbsoluteError(plugin.Measure):
    """The mean absolute error."""

    of = "values"
    unit = "EUR"
    higher_is_better = False

    def contributions(self, block):
        return np.abs(block["prediction"] - block["label"])


class Faulty(plugin.Measure):
    """Does wrong where the key of the setting says."""

    how = plugin.Text("throw", doc="What it does wrong.")
    at = plugin.Text("contributions", doc="In contributions, or in combine.")

    def contributions(self, block):
        if self.at == "contributions":
            return self.do_wrong(block.num_rows)
        return np.ones((block.num_rows, 2))

    def combine(self, sums):
        if self.at == "combine":
            return self.do_wrong(len(sums))
        return sums[:, 0]

    def do_wrong(self, rows):
        if self.how == "throw":
            raise ValueError("thrown on purpose")
        if self.how == "exit":
            os._exit(3)
        if self.how == "loop":
            time.sleep(60)
        if self.how == "cut_off":
            return np.ones(max(0, rows - 1))
        if self.how == "not_finite":
            return np.full((rows, 2), np.inf)
        return np.ones(rows)
