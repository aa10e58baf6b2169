"""Keeps the samples of old times that the model still gets wrong.

    downsampling: {type: plugin, use: "stale_loss.py:StaleLoss", with: {doubled_after: 86400}, fraction: 0.3}

The score is the loss times the age (and one): a sample that was hard yesterday and is hard today is worth more than one that has just
come. Samples are drawn in proportion to it, and weighted, so that the mean loss stays that of all samples.
"""
import numpy

from tidemill import plugin


class StaleLoss(plugin.Score):
    """Draws samples in proportion to their loss times their age."""

    version = "1.0"
    keep = "in_proportion"
    doubled_after = plugin.Number(86_400, min=1e-6, doc="The age, in seconds, at which a loss counts twice.")

    def looks_at(self):
        return ["losses", "ages"]

    def score(self, block):
        # In float64: the same for a row at any place.
        return block["losses"].astype(numpy.float64) * (1 + block["ages"] / self.doubled_after)
