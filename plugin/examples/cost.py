"""What mistakes cost, where one kind is worse than the other: a missed failure of a machine costs more than a check for
nothing.

    measures: [accuracy, {type: plugin, use: "cost.py:Cost", with: {missed: 20, positive: 1}}]
"""
import numpy as np

from tidemill import plugin


class Cost(plugin.Measure):
    """The mean cost of a prediction."""

    version = "1.0"
    unit = "EUR"
    higher_is_better = False

    missed = plugin.Number(5, min=0, doc="The cost of a sample of the positive class that was predicted as another.")
    false_alarm = plugin.Number(1, min=0, doc="The cost of a sample that was predicted as the positive class and is another.")
    positive = plugin.Integer(1, min=0, doc="The number of the positive class.")

    def contributions(self, block):
        """What each sample costs. The value is the mean."""
        is_positive = block["label"] == self.positive
        is_alarm = block["prediction"] == self.positive
        return np.where(is_positive & ~is_alarm, self.missed, np.where(~is_positive & is_alarm, self.false_alarm, 0.0))


class Savings(Cost):
    """What the model saves of the cost of never raising an alarm, as a share: 1 for no cost, negative where never raising
    one were cheaper."""

    unit = ""
    higher_is_better = True

    def contributions(self, block):
        """What each sample costs, and what it would cost without a model."""
        without = np.where(block["label"] == self.positive, self.missed, 0.0)
        return np.column_stack([super().contributions(block), without])

    def combine(self, sums):
        """Without samples of the positive class nothing could be saved: 0 / 0 and x / 0 are not values."""
        return 1 - sums[:, 0] / sums[:, 1]
