"""Trigger policies: when to retrain."""
from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from tidemill.plugin.base import Plugin
from tidemill.plugin.evidence import Cut, Evidence, Table


@dataclasses.dataclass(frozen=True)
class EverySamples:
    """Decides after every `samples` samples."""

    samples: int

    def __post_init__(self) -> None:
        if isinstance(self.samples, bool) or self.samples != int(self.samples) or self.samples < 1:
            raise ValueError(f"EverySamples needs a whole number from 1 on, and got {self.samples!r}")

    def described(self) -> dict[str, Any]:
        """What a host reports about it."""
        return {"samples": int(self.samples)}


@dataclasses.dataclass(frozen=True)
class EveryPeriod:
    """Decides at the end of each period of event time. The arguments add up."""

    seconds: float = 0
    minutes: float = 0
    hours: float = 0
    days: float = 0

    def __post_init__(self) -> None:
        if not 1e-6 <= self.total < 1e12:
            raise ValueError(f"EveryPeriod needs a time, and got {self.total!r} seconds")

    @property
    def total(self) -> float:
        """The length of the period, in seconds."""
        return self.seconds + 60.0 * self.minutes + 3600.0 * self.hours + 86400.0 * self.days

    def described(self) -> dict[str, Any]:
        """What a host reports about it."""
        return {"seconds": float(self.total)}


@dataclasses.dataclass(frozen=True)
class EachCalendar:
    """Decides at the end of each day, week, month or year of the calendar, in UTC."""

    unit: Literal["day", "week", "month", "year"]

    def __post_init__(self) -> None:
        if self.unit not in ("day", "week", "month", "year"):
            raise ValueError(f"EachCalendar takes day, week, month or year, and got {self.unit!r}")

    def described(self) -> dict[str, Any]:
        """What a host reports about it."""
        return {"calendar": self.unit}


Points = EverySamples | EveryPeriod | EachCalendar


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two numbers that were compared, for those who ask by how much it missed."""

    quantity: str
    value: float
    threshold: float
    unit: str = ""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a trigger fires, and why, as a sentence. `at_least` and `at_most` make it of a comparison."""

    fired: bool
    because: str
    comparison: Comparison | None = None

    @classmethod
    def at_least(cls, quantity: str, value: float, threshold: float, unit: str = "") -> Verdict:
        """Fires if the value is at least the threshold.

        `Verdict.at_least("the share of mistakes", 0.25, 0.2)` says "the share of mistakes is 0.25, at least 0.2".
        """
        fired = bool(value >= threshold)
        return cls._compared(fired, "at least" if fired else "less than", quantity, value, threshold, unit)

    @classmethod
    def at_most(cls, quantity: str, value: float, threshold: float, unit: str = "") -> Verdict:
        """Fires if the value is at most the threshold."""
        fired = bool(value <= threshold)
        return cls._compared(fired, "at most" if fired else "more than", quantity, value, threshold, unit)

    @classmethod
    def _compared(cls, fired: bool, how: str, quantity: str, value: float, threshold: float, unit: str) -> Verdict:
        suffix = f" {unit}" if unit else ""
        because = f"{quantity} is {_shown(value)}{suffix}, {how} {_shown(threshold)}{suffix}"
        return cls(fired, because, Comparison(quantity, value, threshold, unit))


def _shown(value: float) -> str:
    """Six digits; more where that would make different numbers look the same does not matter to a sentence."""
    return f"{float(value):.6g}"


class Trigger(Plugin):
    """A trigger policy. It decides at its points whether the pipeline trains.

    Write `points`, `observe` and `judge`, and `looks_at` where it looks at something. At each point `observe` turns the
    evidence into a few numbers. Then `judge` makes a verdict of these numbers. The numbers are recorded, so that
    `judge` can be asked again when decisions are explained or replayed.
    """

    kind: ClassVar[str] = "trigger"

    @abc.abstractmethod
    def points(self) -> Points:
        """Where it decides: `EverySamples(250)`, `EveryPeriod(hours=6)` or `EachCalendar("day")`. Asked once."""

    def looks_at(self) -> Mapping[str, Table]:
        """What it looks at, by names of yours: `{"errors": plugin.Errors(since="training")}`. Asked once."""
        return {}

    @abc.abstractmethod
    def observe(self, evidence: Evidence) -> Mapping[str, float]:
        """Looks at the evidence, and returns the numbers that decide. It may remember something, as attributes."""

    @abc.abstractmethod
    def judge(self, seen: Mapping[str, float]) -> Verdict:
        """Decides by what `observe` returned and by the settings, and by nothing else that it remembers."""

    def trained(self, at: Cut) -> None:
        """The pipeline has trained on all samples before `at`. Called before the next `observe`."""

    def cost(self, num_samples: int, seconds: float) -> None:
        """A training on `samples` samples took `seconds`. Called before the next `observe`."""

    def no_model(self) -> None:
        """A training ended without a model. Called before the next `observe`."""
