"""A batch of a training set: rows of arrays, as the loader makes them."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Batch:
    """The rows of one batch. All arrays have a row for each sample that could be read; there may be none.

    Arrays that must not be changed are not writeable. The others are this batch's own.
    """

    epoch: int
    #: The number of the batch in its epoch.
    index: int
    #: int64, one for each row.
    keys: NDArray[numpy.int64]
    #: The places of the samples in their training set: int64, one for each row.
    ordinals: NDArray[numpy.int64]
    #: What the graph of the pipeline makes for the network, by name: `input`, and `input_...` where it has several. float32 or
    #: int64, with the shape of an input after the rows.
    inputs: dict[str, Array]
    #: Labels as the loss takes them: int64 classes or float32 numbers, or None without labels.
    targets: Array | None
    #: float32, or None where each sample counts as one.
    weights: NDArray[numpy.float32] | None
    #: The samples of this batch that could not be read or prepared.
    num_skipped: int
    #: The samples of this batch that the graph has filtered.
    num_filtered: int
    #: Why one of the skipped samples was skipped; empty when none was.
    reason: str = ""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def input(self) -> Array:
        """The input of a network that has one. Raises ValueError where there are several."""
        if len(self.inputs) != 1:
            raise ValueError(f"this batch has the inputs {', '.join(self.inputs)}: take one from `inputs`")
        return next(iter(self.inputs.values()))
