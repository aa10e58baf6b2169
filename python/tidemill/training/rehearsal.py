"""A training without Tidemill, to try a program on arrays."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tidemill.batch import Array, Batch
from tidemill.plugin.settings import checked_settings
from tidemill.training.loop import Facts, Next, Report, Training
from tidemill.training.program import program_of
from tidemill.training.states import seed_generators


@dataclasses.dataclass(frozen=True)
class Rehearsal:
    """What came of a rehearsal."""

    #: What the function has returned.
    model: Any
    reports: list[Report]
    #: The batches that each checkpoint follows, and its bytes.
    checkpoints: list[tuple[int, bytes]]

    @property
    def losses(self) -> list[float]:
        """The losses that were reported."""
        return [report.loss for report in self.reports if report.loss is not None]


def rehearse(main: Callable[..., Any], inputs: ArrayLike | Mapping[str, ArrayLike], targets: ArrayLike, *,
             weights: ArrayLike | None = None, facts: Facts = Facts(), settings: Mapping[str, Any] | None = None,
             previous: Any = None, checkpoint_every: int = 0, resume: tuple[int, bytes] | None = None) -> Rehearsal:
    """Calls a program with batches of these arrays, in an order that follows from the seed of `facts`.

        done = rehearse(main, rows, labels, facts=Facts(epochs=3, outputs=5))
        assert done.losses[-1] < done.losses[0]

    `checkpoint_every`: batches between two checkpoints, 0 for none. `resume`: one of the checkpoints of an earlier rehearsal,
    from which this one continues; both end with the same model where the program keeps all that it has to.
    """
    program = program_of(main)
    values = checked_settings(program, settings or {})
    columns = dict(inputs) if isinstance(inputs, Mapping) else {"input": inputs}
    feed = _ArrayFeed({name: np.asarray(rows) for name, rows in columns.items()}, np.asarray(targets),
                      None if weights is None else np.asarray(weights, np.float32), facts, checkpoint_every,
                      resume[0] if resume else 0)
    training = Training(facts, feed, values, resume[1] if resume else None, None if previous is None else lambda: previous,
                        num_batches=feed.num_batches, num_samples=feed.num_samples)
    seed_generators(facts.seed, facts.num_threads)
    model = main(training, **values)
    feed.tell(training._taken())
    return Rehearsal(model, feed.reports, feed.checkpoints)


class _ArrayFeed:
    def __init__(self, inputs: Mapping[str, Array], targets: Array, weights: Array | None, facts: Facts, every: int,
                 first_batch: int) -> None:
        self.num_samples = len(targets)
        self.num_batches = -(-self.num_samples // facts.batch_size)
        self.reports: list[Report] = []
        self.checkpoints: list[tuple[int, bytes]] = []
        self._arrays = inputs, targets, weights
        self._facts, self._every = facts, every
        self._delivered = self._kept = first_batch
        self._batches = self._made(first_batch)

    def next(self, reports: list[Report], is_checkpoint_possible: bool) -> Next:
        self.tell(reports)
        wanted = self._every > 0 and self._delivered - self._kept >= self._every and is_checkpoint_possible
        batch = None if wanted else next(self._batches, None)
        self._delivered += batch is not None
        return Next(batch=batch, is_checkpoint_wanted=wanted, num_batches=self.num_batches, num_samples=self.num_samples)

    def tell(self, reports: list[Report]) -> None:
        self.reports += reports

    def save(self, state: bytes, reports: list[Report]) -> None:
        self.tell(reports)
        self._kept = self._delivered
        self.checkpoints.append((self._delivered, state))

    def _made(self, first_batch: int) -> Iterator[Batch]:
        inputs, targets, weights = self._arrays
        for number in range(first_batch, self._facts.epochs * self.num_batches):
            epoch, index = divmod(number, self.num_batches)
            order = np.random.default_rng([self._facts.seed, epoch]).permutation(self.num_samples)
            rows = order[index * self._facts.batch_size:(index + 1) * self._facts.batch_size].astype(np.int64)
            yield Batch(epoch=epoch, index=index, keys=rows, ordinals=rows.copy(),
                        inputs={name: column[rows] for name, column in inputs.items()}, targets=targets[rows],
                        weights=None if weights is None else weights[rows], num_skipped=0, num_filtered=0)
