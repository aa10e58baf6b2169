"""A score of downsampling: which samples a training keeps.

    downsampling: {type: plugin, use: "FILE_NAME.py:CLASS_NAME", with: {power: 2}, fraction: 0.3}
"""
import numpy

from tidemill import plugin


class CLASS_NAME(plugin.Score):
    """Draws samples in proportion to a power of their losses."""

    version = "0.1"

    # greatest, least or in_proportion.
    keep = "in_proportion"

    # What `with` may say.
    power = plugin.Number(1, min=0, doc="The power of the loss.")

    def looks_at(self):
        """Some of losses, probabilities, embeddings, labels, event_times and ages."""
        return ["losses"]

    def score(self, block):
        """A number for each row, whatever the other rows are."""
        return block["losses"].astype(numpy.float64) ** self.power
