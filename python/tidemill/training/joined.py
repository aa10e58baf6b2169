"""Many batches as one."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tidemill.batch import Array, Batch


def joined(batches: Sequence[Batch]) -> Batch:
    """One batch with the rows of all of them, by ordinal. Raises ValueError without batches."""
    if not batches:
        raise ValueError("there are no batches left: every epoch has ended")
    ordinals = np.concatenate([batch.ordinals for batch in batches])
    order = np.argsort(ordinals, kind="stable")

    def rows(columns: Sequence[Array]) -> Array:
        return np.concatenate(columns)[order]

    targets = [batch.targets for batch in batches if batch.targets is not None]
    weights: list[NDArray[np.float32]] = [batch.weights for batch in batches if batch.weights is not None]
    return Batch(epoch=batches[0].epoch, index=0, keys=rows([batch.keys for batch in batches]), ordinals=ordinals[order],
                 inputs={name: rows([batch.inputs[name] for batch in batches]) for name in batches[0].inputs},
                 targets=rows(targets) if targets else None, weights=rows(weights) if weights else None,
                 num_skipped=sum(batch.num_skipped for batch in batches),
                 num_filtered=sum(batch.num_filtered for batch in batches))
