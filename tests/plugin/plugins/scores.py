"""The method `loss` of downsampling as a plug-in, and a score that does wrong."""
import os
import time

import numpy
from tidemill import plugin


class Losses(plugin.Score):
    """Keeps samples by their losses."""

    version = "1.0"
    kept = plugin.Text("in_proportion", choices=["greatest", "least", "in_proportion"], doc="Which are kept.")

    @property
    def keep(self):
        return self.kept

    def looks_at(self):
        return ["losses"]

    def score(self, block):
        return block["losses"]


class WrongScore(plugin.Score):
    """Scores a row wrongly when a sample of the key 13 is among the rows."""

    keep = "in_proportion"
    how = plugin.Text(doc="What goes wrong.")

    def looks_at(self):
        return ["losses", "probabilities", "labels", "event_times", "ages"]

    def score(self, block):
        scores = block["losses"].astype(float)
        if self.how == "place":
            return scores + numpy.arange(len(scores))
        if 13 not in block["key"]:
            return scores
        if self.how == "throw":
            raise ValueError("thrown on purpose")
        if self.how == "nan":
            scores[0] = numpy.nan
        if self.how == "negative":
            scores[0] = -1
        if self.how == "few":
            return scores[1:]
        if self.how == "exit":
            os._exit(3)
        if self.how == "hang":
            time.sleep(1000)
        return scores
