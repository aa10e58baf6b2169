"""Programs that train, tried on arrays."""
from __future__ import annotations

import importlib.util
import pathlib
import pickle
import types
from typing import Any

import numpy as np
import pytest

from tidemill import plugin
from tidemill.training import Facts, Training, rehearse

EXAMPLES = pathlib.Path(__file__).parents[2] / "pipelines/quickstart/programs"
FACTS = Facts(epochs=4, batch_size=16, seed=3, outputs=5)


def example(name: str) -> types.ModuleType:
    """The module of an example, or a skip where it needs a package that is not there."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    return module


def weather(rows: int = 400) -> tuple[Any, Any]:
    """Rows of four numbers, and five classes that depend on two of them."""
    inputs = np.random.default_rng(7).normal(size=(rows, 4)).astype(np.float32)
    return inputs, np.digitize(inputs[:, 0] + 0.2 * inputs[:, 1], [-1, -0.3, 0.3, 1])


def accuracy(model: Any, inputs: Any, targets: Any) -> float:
    """The share of the rows for which the most probable class is right."""
    batch = rehearse(lambda training: training.whole(), inputs, targets, facts=Facts(batch_size=len(inputs))).model
    return float(np.mean(model.predict(batch).argmax(axis=1) == batch.targets))


@pytest.mark.parametrize("name", ["logistic", "forest", "boosting", "boosting_xgboost"])
def test_examples_return_objects_that_learn(name: str) -> None:
    inputs, targets = weather()
    done = rehearse(example(name).main, inputs, targets, facts=FACTS)
    assert accuracy(done.model, inputs, targets) > 0.6
    assert done.reports


@pytest.mark.parametrize("name", ["network", "network_lightning", "network_transformers"])
def test_examples_return_modules_that_learn(name: str) -> None:
    torch = pytest.importorskip("torch")
    inputs, targets = weather()
    done = rehearse(example(name).main, inputs, targets, facts=FACTS, settings={"rate": 0.05})
    with torch.no_grad():
        answers = done.model.eval()(torch.from_numpy(inputs)).argmax(1).numpy()
    assert np.mean(answers == targets) > 0.6
    assert done.losses[-1] < done.losses[0]


def test_the_trainer_takes_the_batches_that_it_is_given() -> None:
    pytest.importorskip("transformers")
    main = example("network_transformers").main
    inputs, targets = weather(7 * FACTS.batch_size + 1)
    done = rehearse(main, inputs, targets, facts=FACTS)
    assert done.reports


@pytest.mark.parametrize("name", ["logistic", "network", "network_lightning"])
def test_a_training_that_is_resumed_ends_with_the_same_model(name: str) -> None:
    main = example(name).main
    inputs, targets = weather(100)
    whole = rehearse(main, inputs, targets, facts=FACTS, checkpoint_every=5)
    assert len(whole.checkpoints) > 3
    for kept in whole.checkpoints:
        again = rehearse(main, inputs, targets, facts=FACTS, resume=kept)
        assert weights_of(again.model) == weights_of(whole.model)


def weights_of(model: Any) -> bytes:
    """The weights as bytes."""
    if hasattr(model, "state_dict"):
        return b"".join(value.numpy().tobytes() for value in model.state_dict().values())
    return pickle.dumps(model.weights)


def test_a_program_starts_from_the_model_before() -> None:
    main = example("logistic").main
    inputs, targets = weather()
    first = rehearse(main, inputs, targets, facts=FACTS)
    later = rehearse(main, inputs, targets, facts=FACTS, previous=first.model)
    assert later.losses[0] < first.losses[0]


def test_settings_are_checked() -> None:
    def main(training: Training, rate: float = plugin.Number(0.5, min=0)) -> float:  # type: ignore[assignment]
        list(training.batches())
        return rate

    assert rehearse(main, *weather(), settings={"rate": 2}).model == 2
    with pytest.raises(ValueError, match="has no setting ratte"):
        rehearse(main, *weather(), settings={"ratte": 2})
    with pytest.raises(ValueError, match="at least 0"):
        rehearse(main, *weather(), settings={"rate": -1})


def test_an_own_state_is_saved_when_it_is_due() -> None:
    def main(training: Training) -> list[int]:
        seen: list[int] = list(training.checkpoint or ())
        for batch in training.batches():
            seen.append(batch.index)
            if training.checkpoint_due:
                training.save_checkpoint(seen)
        return seen

    whole = rehearse(main, *weather(), facts=FACTS, checkpoint_every=7)
    assert len(whole.model) == 100
    for kept in whole.checkpoints:
        assert rehearse(main, *weather(), facts=FACTS, resume=kept).model == whole.model
