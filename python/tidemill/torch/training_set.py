"""A training set as an IterableDataset."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from tidemill import arrays
from tidemill.torch.batch import TensorBatch

if TYPE_CHECKING:
    from tidemill.client.run import Run


class TrainingSet(IterableDataset[TensorBatch]):
    """The training set of a trigger as batches of tensors; see tidemill.arrays.TrainingSet, whose options it has.

    Under a DataLoader with several processes, each makes every n-th batch, and the loader puts them in order again. The processes
    have to be started with `spawn` or `forkserver`.
    """

    def __init__(self, run: Run, trigger: int, **options: Any) -> None:
        super().__init__()
        self._arrays = arrays.TrainingSet(run, trigger, **options)
        # Where the processes of a loader have ended their epoch: a loader may start others for the next one.
        self._ended = torch.zeros(1, dtype=torch.int64).share_memory_()

    def __iter__(self) -> Iterator[TensorBatch]:
        """Reads the current epoch from the current place to its end."""
        process = get_worker_info()
        if process is None:
            yield from map(TensorBatch.of, self._arrays)
            return
        if self._arrays.position < int(self._ended[0]):
            self._arrays.set_epoch(int(self._ended[0]) // len(self._arrays))
        self._arrays.take_turns(process.id, process.num_workers)
        yield from map(TensorBatch.of, self._arrays)
        self._ended[0] = self._arrays.position - process.id

    def __len__(self) -> int:
        """The batches of an epoch."""
        return len(self._arrays)

    @property
    def num_samples(self) -> int:
        """The samples of an epoch in the part of this rank, with those that cannot be read."""
        return self._arrays.num_samples

    @property
    def batch_size(self) -> int:
        """The samples of a batch, over all ranks."""
        return self._arrays.batch_size

    def set_epoch(self, epoch: int) -> None:
        """Begins this epoch, counted from 0, at the next iteration."""
        self._arrays.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Where reading is."""
        return self._arrays.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues where another set was, with any number of ranks and processes."""
        self._arrays.load_state_dict(state)

    def close(self) -> None:
        """Ends reading ahead, and frees what was read. Batches that were handed out stay."""
        self._arrays.close()

    def __enter__(self) -> TrainingSet:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
