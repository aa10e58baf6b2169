"""A policy that reads a data file."""
from tidemill import plugin


class Level(plugin.Trigger):
    """Fires where the file says so."""

    every = plugin.Integer(100, min=1, doc="Samples between two decisions.")

    def __init__(self):
        with open(plugin.files["level.txt"]) as file:
            self.level = float(file.read())

    def points(self):
        return plugin.EverySamples(self.every)

    def observe(self, evidence):
        return {"level": self.level}

    def judge(self, seen):
        return plugin.Verdict.at_least("the level", seen["level"], 0.2)
