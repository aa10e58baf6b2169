"""Scores: which samples a training keeps."""
from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin.base import Plugin
from tidemill.plugin.block import Block

LooksAt = Literal["losses", "probabilities", "embeddings", "labels", "event_times", "ages"]


class Score(Plugin):
    """A score of downsampling. A training keeps the samples with the `greatest` or the `least` score, or draws them
    `in_proportion` to it."""

    kind: ClassVar[str] = "score"

    keep: Literal["greatest", "least", "in_proportion"] = "greatest"

    @abc.abstractmethod
    def looks_at(self) -> Sequence[LooksAt]:
        """What the score is made of: `["losses", "event_times"]`. Asked once."""

    @abc.abstractmethod
    def score(self, block: Block) -> Sequence[float] | NDArray[np.float64]:
        """A number for each row, not negative where samples are drawn in proportion to it.

        The block has the column `key`, int64, and what `looks_at` names, each under that name: `losses`,
        `probabilities` and `embeddings`, float32; `labels`, int64 for classes, else float64; `event_times`, int64,
        microseconds; `ages`, float64, seconds before the newest sample of the training set. A row has to have the
        same score whatever is beside it.
        """
