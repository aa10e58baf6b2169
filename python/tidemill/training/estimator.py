"""Models with the methods of scikit-learn."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.batch import Batch


class Estimator:
    """Answers with a model of scikit-learn, or one with its methods (LightGBM, XGBoost): probabilities by `predict_proba`, values
    by `predict`. The model gets the input as rows of numbers."""

    def __init__(self, model: Any, outputs: int | None) -> None:
        """`outputs`: the numbers of an answer; 1 for two classes. None for a model of real numbers."""
        self.model = model
        self.outputs = outputs
        if outputs is not None and not callable(getattr(model, "predict_proba", None)):
            raise TypeError(f"{type(model).__name__} has no predict_proba(), which a model of classes needs here")

    def predict(self, batch: Batch) -> NDArray[np.float32]:
        """An answer for each row. A class that the model has never seen has the probability 0."""
        rows = batch.input.reshape(len(batch), -1)
        if self.outputs is None:
            return np.asarray(self.model.predict(rows), np.float32).reshape(len(batch))
        told = np.asarray(self.model.predict_proba(rows), np.float32)
        known = np.asarray(getattr(self.model, "classes_", np.arange(told.shape[1])), np.int64)
        answers = np.zeros((len(batch), max(2, self.outputs)), np.float32)
        answers[:, known] = told
        return answers[:, 1] if self.outputs == 1 else answers
