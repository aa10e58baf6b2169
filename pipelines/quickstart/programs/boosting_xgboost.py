"""Gradient-boosted trees of XGBoost."""
import numpy as np
import xgboost

from tidemill import plugin
from tidemill.training import Batch, Training


class Model:
    """Probabilities of the classes. A class that no sample had is one that XGBoost knows nothing of."""

    def __init__(self, trees: xgboost.Booster) -> None:
        self.trees = trees

    def predict(self, batch: Batch) -> np.ndarray:
        return self.trees.predict(xgboost.DMatrix(batch.input))


class Reports(xgboost.callback.TrainingCallback):
    """Reports the loss after each round."""

    def __init__(self, training: Training) -> None:
        self.training = training

    def after_iteration(self, model: xgboost.Booster, epoch: int, evals_log: dict) -> bool:
        self.training.report(loss=evals_log["train"]["mlogloss"][-1])
        return False


def main(training: Training, rounds: int = plugin.Integer(40, min=1, doc="How many trees grow for each class.")) -> Model:
    """Adds tree after tree."""
    rows = training.whole()
    data = xgboost.DMatrix(rows.input, rows.targets, weight=rows.weights)
    settings = {"objective": "multi:softprob", "num_class": training.outputs, "max_depth": 4, "eta": 0.2,
                "nthread": training.num_threads, "seed": training.seed % 2**31}
    trees = xgboost.train(settings, data, rounds, evals=[(data, "train")], verbose_eval=False, callbacks=[Reports(training)])
    return Model(trees)
