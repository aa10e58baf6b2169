"""A trigger policy: when to retrain.

    trigger: {type: plugin, use: "FILE_NAME.py:CLASS_NAME", with: {threshold: 0.3}}
"""
from tidemill import plugin


class CLASS_NAME(plugin.Trigger):
    """Fires when the active model has made too many mistakes since the last decision."""

    version = "0.1"

    # What `with` may say.
    threshold = plugin.Number(0.3, min=0, max=1, doc="Share of mistakes at which it fires.")
    every = plugin.Integer(500, min=1, doc="Samples between two decisions.")

    def points(self):
        """Where it decides."""
        return plugin.EverySamples(self.every)

    def looks_at(self):
        """What it looks at there."""
        return {"errors": plugin.Errors(since="decision")}

    def observe(self, evidence):
        """Makes a few numbers of what it looks at. They are recorded with the decision."""
        errors = evidence["errors"]
        return {"mistakes": errors.mean() if len(errors) > 0 else 0.0, "rows": len(errors)}

    def judge(self, seen):
        """Decides by these numbers and the settings alone."""
        return plugin.Verdict.at_least("the share of mistakes", seen["mistakes"], self.threshold)
