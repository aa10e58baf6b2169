"""The policy `performance` with a threshold, as a plug-in."""
from tidemill import plugin


class Mistakes(plugin.Trigger):
    """Fires when the active model has become bad."""

    version = "1.0"
    at = plugin.Number(0.7, min=0, max=1, doc="The accuracy at which it fires.")
    samples = plugin.Integer(90, min=1, doc="Samples between two decisions.")

    def __init__(self):
        self.decisions = 0

    def points(self):
        return plugin.EverySamples(self.samples)

    def looks_at(self):
        return {"errors": plugin.Errors(since="decision")}

    def observe(self, evidence):
        errors = evidence["errors"]
        self.decisions += 1
        seen = {"decisions": self.decisions, "rows": len(errors), "missing": evidence.missing("errors")}
        if len(errors) > 0:
            seen["score"] = 1 - errors.sum() / len(errors)
        return seen

    def judge(self, seen):
        if "score" not in seen:
            return plugin.Verdict(False, "no sample could be looked at")
        return plugin.Verdict.at_most("the accuracy", seen["score"], self.at)
