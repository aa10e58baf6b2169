"""Retrains when the expected mistakes cost more than a training.

    trigger: {type: plugin, use: "expected_loss.py:ExpectedLoss", with: {training_cost: 40, horizon: 2000}}

The accuracy since the last training is forecast by a line. What it will have lost by the end of the horizon, against the
accuracy right after the training, is compared with the cost of a training, in mistakes. It is a simple cousin of policies that
forecast the performance of a model and its uncertainty.
"""
import numpy

from tidemill import plugin


class ExpectedLoss(plugin.Trigger):
    """Fires when forecast mistakes cost more than a training."""

    version = "1.0"
    every = plugin.Integer(250, min=1, doc="Samples between two decisions.")
    horizon = plugin.Integer(2000, min=1, doc="Samples ahead for which mistakes are counted.")
    training_cost = plugin.Number(40, min=0, doc="Mistakes that a training is worth.")

    def __init__(self):
        self.accuracies = []

    def points(self):
        return plugin.EverySamples(self.every)

    def looks_at(self):
        return {"errors": plugin.Errors(since="decision")}

    def trained(self, at):
        self.accuracies = []

    def observe(self, evidence):
        errors = evidence["errors"]
        if len(errors) > 0:
            self.accuracies.append(1 - errors.mean())
        seen = {"intervals": len(self.accuracies)}
        if self.accuracies:
            seen["at_first"] = self.accuracies[0]
            seen["forecast"] = self.forecast()
        return seen

    def forecast(self):
        """The mean accuracy over the horizon, by the line through the accuracies so far."""
        if len(self.accuracies) < 3:
            return self.accuracies[-1]
        slope, start = numpy.polynomial.polynomial.polyfit(range(len(self.accuracies)), self.accuracies, 1)[::-1]
        middle = len(self.accuracies) - 1 + self.horizon / self.every / 2
        return float(numpy.clip(start + slope * middle, 0, 1))

    def judge(self, seen):
        if seen["intervals"] == 0:
            return plugin.Verdict(False, "no sample could be looked at")
        loss = (seen["at_first"] - seen["forecast"]) * self.horizon
        return plugin.Verdict.at_least("the mistakes to be expected", loss, self.training_cost)
