"""The batches of a training set as arrays of numpy, made by the same code as in a training of Tidemill.

    from tidemill.arrays import TrainingSet

    samples = TrainingSet(run, trigger=3)
    for epoch in range(2):
        for batch in samples:
            print(batch.keys, batch.input.shape, batch.targets)

`tidemill.torch` has the same as tensors.
"""
from __future__ import annotations

import importlib
import json
import os
import types
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy
from numpy.typing import NDArray

from tidemill.batch import Batch
from tidemill.client import program
from tidemill.errors import Conflict, UsageError, error_of_status

if TYPE_CHECKING:
    from tidemill.client.run import Run

# A reader is opened for as many epochs as may ever be read.
_MOST_EPOCHS = 1_000_000
_NO_KEYS: NDArray[numpy.int64] = numpy.empty(0, numpy.int64)
_NO_WEIGHTS: NDArray[numpy.float32] = numpy.empty(0, numpy.float32)


class _Reader(Protocol):
    """What the native module opens."""

    num_samples: int
    num_batches: int
    batch_size: int

    def next(self) -> tuple[int, int, dict[str, Any], int, int, str] | None: ...

    def close(self) -> None: ...


class TrainingSet:
    """The training set of a trigger, in the batches and the order in which a training of the pipeline reads them.

    Each iteration is an epoch, or the rest of one after `load_state_dict`. The order of an epoch is a function of the set, the
    seed and the number of the epoch. Batch b of an epoch holds the samples at the places [b * batch_size, (b + 1) * batch_size)
    of that order, whichever rank, thread or process makes it. The graph of the pipeline prepares the samples, with what it had
    learned for the trigger's model. Downsampling is not applied.

    One thread at a time may use it. A process that is forked from one that has read must not read; start it with `spawn`.
    """

    def __init__(self, run: Run, trigger: int, *, keys: Sequence[int] | NDArray[numpy.int64] | None = None,
                 batch_size: int | None = None, seed: int | None = None, shuffle: bool | None = None,
                 last_batch: Literal["keep", "drop", "wrap"] | None = None, rank: int = 0, num_ranks: int = 1, group: str = "",
                 workers: bool = False, transport: Literal["auto", "ring", "frames"] | None = None, num_threads: int = 2,
                 bytes_ahead: int = 64 << 20) -> None:
        """Opens nothing before it is read.

        `keys`: read these samples of the pipeline's dataset in place of those of the training set.
        `batch_size`, `seed`, `shuffle`, `last_batch`: as in the section `training`; by default those of the pipeline.
        `rank`, `num_ranks`: read one part of each batch. Side by side, the parts of all ranks are the batch.
        `workers`: take batches from the stack's preprocessing workers, as `transport` says, instead of making them in this
        process with `num_threads` threads. Ranks of one pass then name the same new `group`. Workers serve services alone, so
        the token file of the stack must have a token of that role, as that of a local stack has.
        `bytes_ahead`: how much is made before it is asked for.
        """
        reach = run.stack.services.reach
        self._keys = _NO_KEYS if keys is None else numpy.ascontiguousarray(keys, numpy.int64)
        if keys is not None and not self._keys.size:
            raise UsageError("no keys are given", advice="leave `keys` out to read the training set")
        #: The pipeline of the run, with every field.
        self.pipeline: str = run.message().pipeline_resolved
        self._endpoints: Mapping[str, str] = dict(reach.endpoints)
        self._token = reach.token
        self._tls = None if reach.tls is None else {
            "ca": (reach.tls.ca or b"").decode(), "certificate": (reach.tls.certificate or b"").decode(),
            "key": (reach.tls.key or b"").decode(), "by_service": reach.tls.by_service}
        self._asked: dict[str, Any] = {
            "run_id": run.number, "trigger": trigger, "batch_size": batch_size, "seed": seed, "shuffle": shuffle,
            "last_batch": last_batch, "rank": rank, "num_ranks": num_ranks, "group": group,
            "worker_token": reach.service_token if workers else None, "through": "workers" if workers else "here",
            "transport": transport, "num_threads": num_threads,
            "bytes_ahead": f"{bytes_ahead}B"}
        self._reader: _Reader | None = None
        self._reader_process = 0
        self._reader_next = 0
        self._next = 0
        self._turn = 0
        self._stride = 1

    # What the set is. These open it.

    def __len__(self) -> int:
        """The batches of an epoch."""
        return self._opened().num_batches

    @property
    def num_samples(self) -> int:
        """The samples of an epoch in the part of this rank, with those that cannot be read."""
        return self._opened().num_samples

    @property
    def batch_size(self) -> int:
        """The samples of a batch, over all ranks."""
        return self._opened().batch_size

    # Reading.

    def __iter__(self) -> Iterator[Batch]:
        """Reads the current epoch from the current place to its end."""
        num_batches = len(self)
        end = (self._next // num_batches + 1) * num_batches if num_batches else 0
        while self._next < end:
            made = self._taken()
            self._next += self._stride
            yield made
        self._next = end + self._turn

    @property
    def position(self) -> int:
        """The number of the next batch, counted through all epochs."""
        return self._next

    def set_epoch(self, epoch: int) -> None:
        """Begins this epoch, counted from 0, at the next iteration."""
        self._next = epoch * len(self) + self._turn

    def take_turns(self, turn: int, num_turns: int) -> None:
        """Reads every `num_turns`-th batch from here on, the first one after `turn` others: for processes that share a pass."""
        if (self._turn, self._stride) == (turn, num_turns):
            return
        if self._stride != 1:
            raise Conflict(f"the state is of turn {self._turn} of {self._stride}, this is turn {turn} of {num_turns}", advice=(
                "give the loader's whole state to `load_state_dict` of the set, and make a new loader of it"))
        self._next += turn
        self._turn, self._stride = turn, num_turns

    def _taken(self) -> Batch:
        made = _native_call(self._opened().next)
        if made is None:
            raise UsageError(f"more than {_MOST_EPOCHS} epochs are read")
        self._reader_next += self._stride
        return _batch_of(*made)

    # Where reading is.

    def state_dict(self) -> dict[str, Any]:
        """Where reading is: for `load_state_dict` of a set of the same samples, in any process, with any number of ranks."""
        return {"tidemill": 1, "next_batch": self._next, "turn": self._turn, "num_turns": self._stride, "pass": self._identity()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues where another set was. Raises Conflict when that was of other samples or in other batches.

        The state of a StatefulDataLoader is taken, too: it has the states of its processes.
        """
        found = _states_in(state)
        if not found:
            raise UsageError("this is not a state of a TrainingSet, nor of a loader of one")
        own = self._identity()
        if other := next((one["pass"] for one in found if one["pass"] != own), None):
            differs = [name for name, value in own.items() if other.get(name) != value]
            raise Conflict(f"the state is of another pass: {', '.join(differs)} differ", advice="open the set as it was then")
        is_own = state.get("tidemill") == 1
        # Processes take turns, so the one that is least far has the next batch.
        self._next = min(int(one["next_batch"]) for one in found) + int(0 if is_own else state.get("_steps_since_snapshot", 0))
        self._turn, self._stride = (int(state["turn"]), int(state["num_turns"])) if is_own else (0, 1)

    def _identity(self) -> dict[str, Any]:
        names = ("run_id", "trigger", "batch_size", "seed", "shuffle", "last_batch")
        return {**{name: self._asked[name] for name in names}, "num_keys": int(self._keys.size),
                "keys": zlib.crc32(self._keys.tobytes())}

    # Its life.

    def close(self) -> None:
        """Ends reading ahead, and frees what was read. Batches that were handed out stay. Reading again opens it again."""
        reader, self._reader = self._reader, None
        if reader is not None and self._reader_process == os.getpid():
            reader.close()

    def __enter__(self) -> TrainingSet:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # A process that is started with it opens its own reader.
        return {**self.__dict__, "_reader": None}

    def _opened(self) -> _Reader:
        if self._reader is not None and self._reader_process != os.getpid():
            raise Conflict("this process was forked from one that has read this set", advice=(
                "start processes with `spawn`: DataLoader(..., multiprocessing_context='spawn'), "
                "or read nothing, not even len(), before they start"))
        if self._reader is None or self._reader_next != self._next:
            self.close()
            self._reader = self._open(self._next)
            self._reader_process, self._reader_next = os.getpid(), self._next
        return self._reader

    def request(self, first_batch: int) -> dict[str, Any]:
        """What the native module is asked to read, from a batch on."""
        asked = {name: value for name, value in self._asked.items() if value is not None}
        request = {"endpoints": self._endpoints, "token": self._token, "epochs": _MOST_EPOCHS, "first_batch": first_batch,
                   "stride": self._stride, **asked}
        if self._tls is not None:
            request["tls"] = self._tls
        return request

    def _open(self, first_batch: int) -> _Reader:
        module, request = _native(), json.dumps(self.request(first_batch))
        reader: _Reader = _native_call(lambda: module.open(request, self.pipeline, self._keys))
        return reader


def _batch_of(epoch: int, index: int, columns: dict[str, Any], num_skipped: int, num_filtered: int, reason: str) -> Batch:
    return Batch(epoch, index, columns.get("key", _NO_KEYS), columns.get("ordinal", _NO_KEYS),
                 {name: column for name, column in columns.items() if name.startswith("input")}, columns.get("target"),
                 columns.get("weight"), num_skipped, num_filtered, reason)


def _states_in(state: Any) -> list[Mapping[str, Any]]:
    if isinstance(state, Mapping):
        if state.get("tidemill") == 1:
            return [state]
        return [found for value in state.values() for found in _states_in(value)]
    return []


def _native() -> types.ModuleType:
    try:
        module = importlib.import_module("tidemill._native")
    except ImportError as error:
        raise Conflict(f"the native part of tidemill is missing: {error}", advice=(
            "install a wheel that has it, or `pip install` the folder python/ on a machine with a compiler")) from None
    # Ops that are scripts or plug-ins run in programs.
    module.use_programs(os.path.dirname(os.path.realpath(program.find())))
    return module


def _native_call(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except importlib.import_module("tidemill._native").NativeError as error:
        code, _, message = str(error).partition("\n")
        raise error_of_status(code, message, peer="the stack") from None
