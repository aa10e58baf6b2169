"""Selection policies: on which samples to train."""
from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tidemill.plugin.base import LOTS, TARGET, Plugin
from tidemill.plugin.block import Block
from tidemill.plugin.lots import LotFormula

Rows = Sequence[int] | NDArray[np.integer]


@dataclasses.dataclass(frozen=True)
class Chosen:
    """Rows that are chosen, ascending, counted from the first candidate; and the weight of each, where they have one."""

    rows: Rows
    weights: Sequence[float] | NDArray[np.floating] | None = None


class Selection(Plugin):
    """A selection policy. It sees all candidates once, in pieces, in the order of the stream, and then chooses.

    The choice must not depend on how the candidates are cut into pieces. A policy that has to see few numbers of each
    candidate keeps these (a copy of them), and chooses in the end. A policy that knows about a candidate when it sees it
    may return it from `add`.
    """

    kind: ClassVar[str] = "selection"

    unbiased: bool = False
    """Whether its weights make the loss over the chosen samples that over all candidates, on average."""

    def looks_at(self) -> Sequence[str]:
        """What it looks at in candidates: some of `event_times`, `labels`, `embeddings`, `predictions` and
        `column:NAME`. Asked once."""
        return []

    @property
    def target(self) -> int | None:
        """How many samples the pipeline asks for, by `samples` or `fraction` beside `use`. Known in `choose`; None where the
        pipeline does not say."""
        target: int | None = self.__dict__.get(TARGET)
        return target

    def lots(self, keys: ArrayLike) -> NDArray[np.uint64]:
        """A random number of 64 bits for each key, the same in every language, wherever the key comes from.

        It follows from the seed of the run, the trigger and the key alone. So it does not depend on how candidates are
        cut into pieces. A uniform draw of k samples takes the k smallest lots, and that is what built-in policies draw.
        """
        formula: LotFormula = self.__dict__.get(LOTS) or LotFormula(plus=self.seed)
        return formula.of(keys)

    @abc.abstractmethod
    def add(self, block: Block) -> Chosen | Rows | None:
        """Takes some candidates: the column `key`, int64, and what `looks_at` names, each under that name.

        `event_times` are microseconds since 1970 in UTC, `labels` classes, both int64. `embeddings` and `predictions` are
        [rows, numbers] of the run's newest model, `column:NAME` is a number of each record, all float32.

        It may return rows up to here that are chosen already, after all that were chosen before.
        """

    @abc.abstractmethod
    def choose(self, num_candidates: int) -> Chosen | Rows | Iterable[Chosen]:
        """The choice (or the rest of it, after what `add` returned), once all candidates have been there. A choice that
        takes much memory can be yielded in pieces."""
