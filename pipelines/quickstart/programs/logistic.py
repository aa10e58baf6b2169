"""Logistic regression with numpy alone."""
import numpy as np

from tidemill import plugin
from tidemill.training import Batch, Training


class Model:
    """Probabilities of the classes."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def predict(self, batch: Batch) -> np.ndarray:
        scores = with_ones(batch.input) @ self.weights
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def with_ones(rows: np.ndarray) -> np.ndarray:
    """The rows with a column of ones, for the bias."""
    return np.hstack([rows, np.ones((len(rows), 1), rows.dtype)])


def main(training: Training, rate: float = plugin.Number(0.1, min=0, doc="The learning rate.")) -> Model:
    """Learns by plain gradient descent."""
    weights = np.zeros((5, training.outputs))
    training.keep(weights=weights)
    if training.previous is not None and not training.is_resumed:
        weights[...] = training.previous.weights
    for batch in training.batches():
        shares = Model(weights).predict(batch)
        wrong = shares - np.eye(training.outputs)[batch.targets]
        weights -= rate * with_ones(batch.input).T @ wrong / len(batch)
        training.report(loss=-np.log(shares[np.arange(len(batch)), batch.targets] + 1e-9).mean())
    return Model(weights)
