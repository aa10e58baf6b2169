"""A measure: how good a model is.

    measures: [{type: plugin, use: "FILE_NAME.py:CLASS_NAME", with: {missed: 5}}]
"""
import numpy as np

from tidemill import plugin


class CLASS_NAME(plugin.Measure):
    """The mean cost of a prediction, where a missed 1 costs more than another mistake."""

    version = "0.1"
    higher_is_better = False

    # What `with` may say.
    missed = plugin.Number(5, min=0, doc="The cost of a missed 1.")

    def contributions(self, block):
        """A number for each sample. The value is the mean of them, unless you write `combine`, too."""
        label, prediction = block["label"], block["prediction"]
        return np.where(label == prediction, 0.0, np.where(label == 1, self.missed, 1.0))
