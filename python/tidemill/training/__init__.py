"""A training of your own: a function that takes batches and returns a model.

The pipeline names it: `training: {type: program, run: train.py:main}`.

    from tidemill import plugin
    from tidemill.training import Training

    def main(training: Training, rate=plugin.Number(0.1, min=0)):
        weights = ...
        training.keep(weights=weights)          # part of each checkpoint, and restored from it
        for batch in training.batches():        # all batches of all epochs
            ...                                 # batch.input, batch.targets, batch.weights: numpy arrays
            training.report(loss=loss)
        return Model(weights)                   # its `predict(batch)` answers evaluations

The parameters after the first one are settings, which the pipeline gives under `with`. A function that is killed is run again:
`keep` restores what it knew at its last checkpoint, and `batches` continues with the batch after that.

`main` returns a `torch.nn.Module` or a TorchScript module, or an object with a method `predict(batch)` that can be pickled. The
function runs where it may not use the network, start processes or write files. `rehearse` tries one on arrays of yours.
"""
from tidemill.batch import Batch
from tidemill.training.estimator import Estimator
from tidemill.training.loop import Facts, Feed, Training
from tidemill.training.rehearsal import Rehearsal, rehearse

__all__ = ["Batch", "Estimator", "Facts", "Feed", "Rehearsal", "Training", "rehearse"]
