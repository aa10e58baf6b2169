"""A batch of a training set as tensors."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch

from tidemill.batch import Array, Batch


@dataclasses.dataclass(frozen=True)
class TensorBatch:
    """The rows of one batch, as tidemill.batch.Batch has them. The tensors share the memory of the arrays, and may be changed."""

    epoch: int
    index: int
    keys: torch.Tensor
    ordinals: torch.Tensor
    inputs: dict[str, torch.Tensor]
    targets: torch.Tensor | None
    weights: torch.Tensor | None
    num_skipped: int
    num_filtered: int
    reason: str

    @classmethod
    def of(cls, batch: Batch) -> TensorBatch:
        """The arrays of a batch as tensors."""
        return cls(batch.epoch, batch.index, _tensor(batch.keys), _tensor(batch.ordinals),
                   {name: _tensor(array) for name, array in batch.inputs.items()},
                   None if batch.targets is None else _tensor(batch.targets),
                   None if batch.weights is None else _tensor(batch.weights), batch.num_skipped, batch.num_filtered, batch.reason)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def input(self) -> torch.Tensor:
        """The input of a network that has one. Raises ValueError where there are several."""
        if len(self.inputs) != 1:
            raise ValueError(f"this batch has the inputs {', '.join(self.inputs)}: take one from `inputs`")
        return next(iter(self.inputs.values()))

    def to(self, *arguments: Any, **options: Any) -> TensorBatch:
        """All tensors as `torch.Tensor.to` gives them: on another device, say."""
        return self._each(lambda tensor: tensor.to(*arguments, **options))

    def pin_memory(self) -> TensorBatch:
        """All tensors in page-locked memory. A DataLoader with `pin_memory=True` calls it."""
        return self._each(lambda tensor: tensor.pin_memory())

    def _each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> TensorBatch:
        return dataclasses.replace(
            self, keys=change(self.keys), ordinals=change(self.ordinals),
            inputs={name: change(tensor) for name, tensor in self.inputs.items()},
            targets=None if self.targets is None else change(self.targets),
            weights=None if self.weights is None else change(self.weights))


def _tensor(array: Array) -> torch.Tensor:
    # A tensor can always be written to: memory that must not be is copied.
    return torch.from_numpy(array if array.flags.writeable else array.copy())
