"""Measures: how good a model is."""
from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tidemill.plugin.base import Plugin
from tidemill.plugin.block import Block


class Measure(Plugin):
    """A measure of a model. Each sample contributes one number, and the value is the mean of these:

        class Cost(plugin.Measure):
            \"\"\"The mean cost of a mistake.\"\"\"

            missed = plugin.Number(5, doc="The cost of a missed 1.")
            higher_is_better = False

            def contributions(self, block):
                label, prediction = block["label"], block["prediction"]
                return np.where(label == prediction, 0, np.where(label == 1, self.missed, 1))

    A value that is not a mean is made from the sums of several numbers:

        class Precision(plugin.Measure):
            \"\"\"The share of right ones among those predicted as 1.\"\"\"

            def contributions(self, block):
                positive = block["prediction"] == 1
                return np.column_stack([positive & (block["label"] == 1), positive])

            def combine(self, sums):
                return sums[:, 0] / sums[:, 1]

    Tidemill adds up what samples contribute: for a window, for a slice, for each drawing of an interval. A sample may
    count several times.

    `needs`, `of`, `unit` and `higher_is_better` are attributes of the class. Where they follow from settings, make them
    properties.
    """

    kind: ClassVar[str] = "measure"

    needs: Literal["predictions", "probabilities"] = "predictions"
    """Whether it needs the class, or value, that was predicted, or also the probability of each class."""
    of: Literal["classes", "values"] = "classes"
    """What labels it is for: classes or real values."""
    unit: str = ""
    higher_is_better: bool = True

    @abc.abstractmethod
    def contributions(self, block: Block) -> Sequence[float] | NDArray[np.float64]:
        """What each sample of a block contributes: an array [rows] or, with n numbers of each sample, [rows, n].

        `block["label"]` and `block["prediction"]` are int64 for classes and float64 for values. `block["probabilities"]`,
        where asked for, is float32 [rows, classes]. The numbers are finite, and those of a sample depend on the sample
        alone, not on the rows beside it. `n` is 64 at most, and the same for each block.
        """

    def combine(self, sums: NDArray[np.float64]) -> Sequence[float | None] | NDArray[np.float64]:
        """The values, by the sums of what samples contribute: of an array [m, n], each row of which is of other samples,
        an array [m]. None, NaN, an infinity or a masked value stands for no value.

        Unless you write your own, the value is the mean of what samples contribute.
        """
        raise TypeError(f"{type(self).__name__} has no combine(): its value is the mean of what samples contribute")
