"""What is asked of scores."""
from __future__ import annotations

from typing import Any, get_args

from tidemill.hosting.answers import Answer
from tidemill.hosting.calls import KindCalls
from tidemill.plugin import Score
from tidemill.plugin.score import LooksAt


class ScoreCalls(KindCalls[Score]):
    """An instance of a score."""

    calls = KindCalls.calls | {"score"}

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        known = get_args(LooksAt)
        looks_at = Answer(self.plugin.looks_at).names(self.plugin.looks_at(), known.__contains__, ", ".join(known))
        return {"looks_at": looks_at, "keep": self.choice("keep", ("greatest", "least", "in_proportion"))}

    def score(self, request: dict[str, Any]) -> dict[str, Any]:
        num_rows = int(request["rows"])
        scores = self.plugin.score(self.memory.block(request))
        answer = Answer(self.plugin.score)
        array = answer.numbers("the scores", scores, "float64", (num_rows,))
        answer.finite("the scores", array)
        if self.plugin.keep == "in_proportion" and num_rows and array.min() < 0:
            raise answer.refuse("scores that are not negative", f"{array.min()} in row {int(array.argmin())}")
        return self.answers.write(num_rows, {"score": array})
