"""The batches of a training set as tensors of PyTorch, without a copy.

    from torch.utils.data import DataLoader
    from tidemill.torch import TrainingSet

    for batch in TrainingSet(run, trigger=3):
        loss = criterion(model(batch.input), batch.targets)

A `TrainingSet` is an `IterableDataset` of whole batches: where a DataLoader is wanted, give it `batch_size=None`. It keeps its
place itself (`state_dict`, `load_state_dict`), alone or under torchdata's StatefulDataLoader.
"""
from tidemill.torch.batch import TensorBatch
from tidemill.torch.training_set import TrainingSet

__all__ = ["TensorBatch", "TrainingSet"]
