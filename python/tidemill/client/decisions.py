"""Why a run has trained, or has not: the decisions of its trigger policy."""
from __future__ import annotations

import dataclasses
import datetime

from tidemill.client.times import of_cut, shown
from tidemill.protos.supervisor.v1 import decision_pb2 as protos


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A policy fires when a value has reached its threshold."""

    quantity: str
    value: float
    threshold: float
    unit: str

    def __str__(self) -> str:
        return f"{self.quantity}: {self._shown(self.value)}, and {self._shown(self.threshold)} fire"

    def _shown(self, value: float) -> str:
        if self.unit == "seconds":
            return str(datetime.timedelta(seconds=value)).removesuffix(", 0:00:00")
        return f"{value:.6g} {self.unit}".rstrip()


@dataclasses.dataclass(frozen=True)
class Change:
    """The smallest change of one number that would have turned the answer: from `begin` to `end`."""

    key: str
    begin: float
    end: float


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer of one policy, and its reasons. It is a tree where a policy asks others."""

    #: The type of the policy; "request" when a user asked for the training.
    policy: str
    fired: bool
    #: A sentence for people.
    text: str
    #: What the policy read: "samples": 2000.
    observed: dict[str, float]
    comparison: Comparison | None
    nearest: Change | None
    members: tuple[Verdict, ...]
    #: What was wrong with a policy that could not decide; then this answer stood in for its own.
    fault: str

    @classmethod
    def of(cls, verdict: protos.Verdict) -> Verdict:
        """The verdict of a message."""
        found, nearest = verdict.comparison, verdict.nearest
        is_compared = verdict.HasField("comparison")
        compared = Comparison(found.quantity, found.value, found.threshold, found.unit) if is_compared else None
        # A list of decisions comes without sentences.
        text = verdict.because or verdict.text or (str(compared) if compared else "")
        return cls(
            policy=verdict.policy, fired=verdict.fired, text=text, observed=dict(verdict.observed), comparison=compared,
            nearest=Change(nearest.key, getattr(nearest, "from"), nearest.to) if verdict.HasField("nearest") else None,
            members=tuple(map(cls.of, verdict.members)), fault=verdict.fault.what)

    def lines(self, depth: int = 0) -> list[str]:
        """The answer and those of its members, a line each."""
        own = f"{'  ' * depth}{'yes' if self.fired else 'no '} {self.policy}: {self.text}"
        return [own, *(line for member in self.members for line in member.lines(depth + 1))]


@dataclasses.dataclass(frozen=True)
class Decision:
    """One evaluation of the trigger policy."""

    run: int
    #: Counts from 1 within the run.
    number: int
    #: The event time up to which the policy had seen samples.
    at: datetime.datetime | None
    fired: bool
    #: The trigger that it fired; None when it fired none.
    trigger: int | None
    #: The samples since the last training.
    num_new: int
    verdict: Verdict
    #: Why the trigger that it fired was skipped; empty otherwise.
    skip_reason: str = ""

    @classmethod
    def of(cls, run: int, decision: protos.Decision, skip_reason: str = "") -> Decision:
        """The decision of a message."""
        return cls(run=run, number=decision.number, at=of_cut(decision.at), fired=decision.fired,
                   trigger=decision.trigger or None, num_new=decision.num_new, verdict=Verdict.of(decision.verdict),
                   skip_reason=skip_reason)

    def __str__(self) -> str:
        happened = f"trigger {self.trigger} of run {self.run} fired at" if self.fired else f"run {self.run} did not retrain at"
        skipped = f"\nthe trigger was skipped: {self.skip_reason}" if self.skip_reason else ""
        return f"{happened} {shown(self.at)}, after {self.num_new} new samples\n" + "\n".join(self.verdict.lines(1)) + skipped
