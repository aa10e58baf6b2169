"""The models that programs return: as bytes, back from them, and their answers."""
from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidemill.batch import Batch
from tidemill.hosting.answers import Answer, shown
from tidemill.hosting.faults import Refused
from tidemill.training.loop import Facts
from tidemill.training.modules import is_module, load_script, script_of

# By how much probabilities of a row may miss the sum of 1.
_SLACK = 1e-3


@dataclasses.dataclass(frozen=True)
class PackedModel:
    """A model as bytes. `form`: `torchscript`, or `pickle` for an object with `predict`."""

    form: str
    data: bytes


def packed_model(model: Any, facts: Facts, sample: Batch | None, main: Callable[..., Any]) -> PackedModel:
    """The model that `main` has returned. It is tried on the sample first."""
    answer = Answer(main)
    if sample is None:
        raise Refused("main has returned before it took a batch with samples, so its model cannot be tried", _code(main))
    if is_module(model):
        try:
            data, answers = script_of(model, sample)
        except TypeError as error:
            raise Refused(str(error), _code(main)) from error
        _checked(answers, len(sample), dataclasses.replace(facts, answers_probabilities=False),
                 Answer(getattr(model, "forward", main)))
        return PackedModel("torchscript", data)
    if isinstance(model, (bytes, bytearray)):
        raise answer.refuse("a module of PyTorch, or an object with predict(batch)",
                            "bytes. To answer by an ONNX file, return an object that holds the bytes and runs them in predict()")
    if not callable(getattr(model, "predict", None)):
        raise answer.refuse("a module of PyTorch, or an object with predict(batch)", shown(model))
    answers_of(model, sample, facts)
    data = _pickled(model, main)
    # As an evaluation does, so that a model that cannot be loaded is a fault of this training.
    again = loaded_model("pickle", data)
    answers_of(again, sample, facts)
    # What was loaded once has one form, whatever objects the training has left in it.
    return PackedModel("pickle", _pickled(again, main))


def loaded_model(form: str, packed: bytes) -> Any:
    """The model of these bytes."""
    if form == "torchscript":
        return load_script(packed)
    try:
        return pickle.loads(packed)
    except Exception as error:
        raise Refused(f"the model cannot be loaded: {type(error).__name__}: {error}") from error


def answers_of(model: Any, batch: Batch, facts: Facts) -> NDArray[np.float32]:
    """What the model answers: `outputs` numbers for each row."""
    answers = model.predict(batch)
    if hasattr(answers, "detach"):
        answers = answers.detach().cpu().numpy()
    return _checked(answers, len(batch), facts, Answer(model.predict))


def _checked(answers: Any, num_rows: int, facts: Facts, answer: Answer) -> NDArray[np.float32]:
    is_flat = facts.outputs == 1 and np.ndim(answers) == 1
    numbers = answer.numbers("the answers", answers, "float32", (num_rows,) if is_flat else (num_rows, facts.outputs))
    answer.finite("the answers", numbers)
    numbers = numbers.reshape(num_rows, facts.outputs)
    if facts.is_of_classes and facts.answers_probabilities and num_rows:
        _check_probabilities(numbers, answer)
    return numbers


def _check_probabilities(numbers: NDArray[np.float32], answer: Answer) -> None:
    wrong = (numbers < -_SLACK) | (numbers > 1 + _SLACK)
    advice = "write `answers: logits` in the model of the pipeline if they are not probabilities"
    if wrong.any():
        row, place = (int(index) for index in np.argwhere(wrong)[0])
        raise answer.refuse("probabilities from 0 to 1", f"{numbers[row, place]:.4g} in row {row}; {advice}")
    sums = numbers.sum(axis=1)
    wrong_sums = np.abs(sums - 1) > _SLACK
    if numbers.shape[1] > 1 and wrong_sums.any():
        row = int(np.argmax(wrong_sums))
        raise answer.refuse("probabilities that add up to 1", f"{sums[row]:.4g} in row {row}; {advice}")


def _pickled(model: Any, main: Callable[..., Any]) -> bytes:
    try:
        return pickle.dumps(model, protocol=5)
    except Exception as error:
        raise Refused(f"the model that main has returned cannot be kept: {type(error).__name__}: {error}. Everything that it "
                      "holds has to be something that can be pickled", _code(main)) from error


def _code(function: Callable[..., Any]) -> Any:
    return getattr(function, "__code__", None)
