"""What a training of your own gets: batches, where to report, and checkpoints."""
from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from tidemill.batch import Batch
from tidemill.training.estimator import Estimator
from tidemill.training.joined import joined
from tidemill.training.states import Generators, kept_state, packed_state, restore, unpacked_state

# A report is sent with the next batch, unless that takes longer.
_LONGEST_SILENCE = 0.2


@dataclasses.dataclass(frozen=True)
class Facts:
    """What the pipeline says about a training."""

    #: The passes over the training set, and the samples of a batch.
    epochs: int = 1
    batch_size: int = 128
    #: Follows from the seed of the pipeline and the trigger. Random numbers begin with it.
    seed: int = 0
    #: The number of the trigger, from 1 on.
    trigger: int = 1
    #: The numbers that the model has to answer for each sample, as `model.outputs` says.
    outputs: int = 1
    #: Whether labels are classes; else they are real numbers.
    is_of_classes: bool = True
    #: The names of the classes; empty where they have none.
    classes: tuple[str, ...] = ()
    #: Whether `predict` answers probabilities of classes; else logits.
    answers_probabilities: bool = True
    #: Threads for arithmetic.
    num_threads: int = 1


@dataclasses.dataclass
class Report:
    """Numbers about the batches since the last report."""

    loss: float | None = None
    validation_loss: float | None = None
    measures: dict[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Next:
    """What came in place of a batch, or with it. `batch` is None at the end, and where a checkpoint is wanted first."""

    batch: Batch | None = None
    is_checkpoint_wanted: bool = False
    #: In an epoch.
    num_batches: int = 0
    num_samples: int = 0


class Feed(Protocol):
    """Where batches come from, and where reports and checkpoints go."""

    def next(self, reports: list[Report], is_checkpoint_possible: bool) -> Next:
        """The next batch. A checkpoint may be wanted first where one is possible."""

    def tell(self, reports: list[Report]) -> None:
        """Passes reports on."""

    def save(self, state: bytes, reports: list[Report]) -> None:
        """Keeps a checkpoint that follows the batches so far."""


class Training:
    """A training. Its attributes are those of `Facts`, and `settings`, the values of the settings by name."""

    def __init__(self, facts: Facts, feed: Feed, settings: Mapping[str, Any] | None = None, checkpoint: bytes | None = None,
                 previous: Callable[[], Any] | None = None, num_batches: int = 0, num_samples: int = 0) -> None:
        self.epochs, self.batch_size = facts.epochs, facts.batch_size
        self.seed, self.trigger = facts.seed, facts.trigger
        self.outputs = facts.outputs
        self.is_of_classes, self.classes = facts.is_of_classes, facts.classes
        self.num_threads = facts.num_threads
        self.settings: Mapping[str, Any] = dict(settings or {})
        self.num_batches = num_batches
        """The batches of an epoch."""
        self.num_samples = num_samples
        """The samples of an epoch, with those that cannot be read."""
        self.checkpoint_due = False
        """Whether it is time to call `save_checkpoint`. It never is where `keep` was called."""
        self._feed = feed
        self._previous = previous
        self._reports: list[Report] = []
        self._sent = time.monotonic()
        self._kept: dict[str, Any] = {}
        self._restored = unpacked_state(checkpoint) if checkpoint is not None else None
        self._generators: Generators | None = self._restored["generators"] if self._restored else None
        # The epochs that have ended, and the batches of the one that has begun.
        place: tuple[int, int] = self._restored["place"] if self._restored else (0, 0)
        self._epoch, self._given = place
        self._is_over = False
        self._random: np.random.Generator | None = None
        self.sample: Batch | None = None
        """The first rows of the first batch; None before it."""

    @property
    def checkpoint(self) -> Any:
        """What `save_checkpoint` was given before this process took the place of one that was killed; None where a training
        begins."""
        return self._restored["state"] if self._restored else None

    @property
    def is_resumed(self) -> bool:
        """Whether the training continues from a checkpoint."""
        return self._restored is not None

    @property
    def previous(self) -> Any:
        """The model to start from, where the pipeline says `warm_start: true`: what `main` returned at the trigger before, or
        the TorchScript module that was made of it. None at the first trigger."""
        return self._previous() if self._previous else None

    @property
    def epochs_left(self) -> int:
        """The epochs that have not ended, with the one that has begun."""
        return max(0, self.epochs - self._epoch)

    @property
    def batches_left(self) -> int:
        """The batches that `epoch()` will give: those of the epoch that has begun, or else of the next one."""
        return self.num_batches - self._given if self.epochs_left else 0

    def batches(self) -> Iterator[Batch]:
        """All batches of all epochs, in the order that the pipeline says; in a training that is resumed, those after its
        checkpoint. The arrays are yours."""
        while (batch := self._next()) is not None:
            yield batch

    def epoch(self) -> Iterator[Batch]:
        """The batches of the epoch that has begun, or else of the next one. Nothing after the last epoch."""
        while (batch := self._next()) is not None:
            yield batch
            if batch.index + 1 >= self.num_batches:
                return

    def whole(self) -> Batch:
        """All rows of the next epoch as one batch, in the order of the training set: for what learns from all samples at once.
        It has to fit into `training.memory`."""
        return joined(list(self.epoch()))

    def report(self, loss: Any = None, *, validation_loss: Any = None, **measures: Any) -> None:
        """Says how the training goes: the mean loss of the batches since the last report, the loss on samples that are not
        trained on, and other numbers by name. Reports count as signs of life, see `training.timeout`."""
        told = Report(loss=_number("loss", loss), validation_loss=_number("validation_loss", validation_loss))
        for name, value in measures.items():
            number = _number(name, value)
            if number is not None:
                told.measures[name] = number
        self._reports.append(told)
        if time.monotonic() - self._sent > _LONGEST_SILENCE:
            self._feed.tell(self._taken())

    def keep(self, **things: Any) -> None:
        """Makes these a part of each checkpoint, which is then made between two batches without further ado. In a training that
        is resumed, gives each the state that it had. Call it before the first batch.

        They are objects with `state_dict()` and `load_state_dict(state)`, such as modules and optimizers of PyTorch, numpy
        arrays, which are changed in place, and generators of numpy. At the moment that the next batch is asked for, all batches
        before it have to be learnt: a loop that reads ahead calls `save_checkpoint` itself.
        """
        for name, thing in things.items():
            kept_state(name, thing)  # A mistake shows now, and not at the first checkpoint.
            self._kept[name] = thing
            if self._restored is not None:
                if name not in self._restored["kept"]:
                    raise ValueError(f"the checkpoint has no {name}; it has {', '.join(self._restored['kept']) or 'nothing'}")
                restore(name, thing, self._restored["kept"][name])

    def save_checkpoint(self, state: Any = None) -> None:
        """Keeps a checkpoint of your own: anything that can be pickled, such as a dict of arrays or tensors. It follows the
        batches so far: call it when all of them have been learnt, usually `if training.checkpoint_due` at the end of the loop's
        body. In a process that continues, `checkpoint` is that state."""
        self._feed.save(packed_state({
            "state": state, "kept": {name: kept_state(name, thing) for name, thing in self._kept.items()},
            "generators": Generators.now(self._random), "place": (self._epoch, self._given)}), self._taken())
        self.checkpoint_due = False

    def random(self, *numbers: int) -> np.random.Generator:
        """Random numbers that follow from the seed: without arguments, a generator that is part of checkpoints; with whole
        numbers, a fresh one that follows from the seed and these numbers alone. `random`, `numpy.random` and `torch` are seeded,
        too."""
        if numbers:
            return np.random.default_rng([self.seed, *(int(number) % 2**64 for number in numbers)])
        if self._random is None:
            self._random = np.random.default_rng(self.seed)
        return self._random

    def estimator(self, model: Any) -> Estimator:
        """A model of scikit-learn, or one with its methods (LightGBM, XGBoost), as `main` may return it."""
        return Estimator(model, self.outputs if self.is_of_classes else None)

    def _next(self) -> Batch | None:
        if self._generators is not None:
            self._generators.restore(self.random())
            self._generators = None
        while not self._is_over:
            came = self._feed.next(self._taken(), not self.checkpoint_due)
            self.num_batches, self.num_samples = came.num_batches, came.num_samples
            if not came.is_checkpoint_wanted:
                break
            if self._kept:
                self.save_checkpoint(None)
            else:
                self.checkpoint_due = True
        if self._is_over or came.batch is None:
            self._is_over = True
            return None
        return self._seen(came.batch)

    def _seen(self, batch: Batch) -> Batch:
        is_last = batch.index + 1 >= self.num_batches
        self._epoch, self._given = (batch.epoch + 1, 0) if is_last else (batch.epoch, batch.index + 1)
        if self.sample is None and len(batch) > 0:
            self.sample = dataclasses.replace(
                batch, keys=batch.keys[:8].copy(), ordinals=batch.ordinals[:8].copy(), targets=None, weights=None,
                inputs={name: rows[:8].copy() for name, rows in batch.inputs.items()})
        return batch

    def _taken(self) -> list[Report]:
        reports, self._reports = self._reports, []
        self._sent = time.monotonic()
        return reports


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = float(value.detach() if hasattr(value, "detach") else value)
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}: the training does not converge; lower the learning rate, or clip gradients")
    return number
