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
    """A measure of a model. Samples come in blocks, and each block becomes a few sums. The sums of all blocks become the
    value.

        class Cost(plugin.Measure):
            \"\"\"The mean cost of a mistake.\"\"\"

            missed = plugin.Number(5, doc="The cost of a missed 1.")
            higher_is_better = False

            def measure(self, block):
                label, prediction = block["label"], block["prediction"]
                missed = ((label == 1) & (prediction == 0)).sum()
                false_alarms = ((label == 0) & (prediction == 1)).sum()
                return [self.missed * missed + false_alarms, block.num_rows]

            def combine(self, sums):
                cost, samples = sums.sum(axis=0)
                return cost / samples if samples else None

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
    def measure(self, block: Block) -> Sequence[float] | NDArray[np.float64]:
        """The sums of a block: as many numbers for each block, however many rows it has.

        `block["label"]` and `block["prediction"]` are int64 for classes and float64 for values. `block["probabilities"]`,
        where asked for, is float32 [rows, classes]. A block has the same rows wherever it is measured.
        """

    @abc.abstractmethod
    def combine(self, sums: NDArray[np.float64]) -> float | None:
        """The value, by the sums of all blocks: an array [blocks, sums] in the order of the stream. None for no value."""
