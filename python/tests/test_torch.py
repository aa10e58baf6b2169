"""A training set as a dataset of PyTorch."""
import pathlib
import random
from typing import Any

import pytest

import tidemill

torch = pytest.importorskip("torch")
DataLoader = torch.utils.data.DataLoader
stateful = pytest.importorskip("torchdata.stateful_dataloader")

from tidemill import arrays  # noqa: E402
from tidemill.torch import TensorBatch, TrainingSet  # noqa: E402


def keys_of(batches: Any) -> list[list[int]]:
    return [batch.keys.tolist() for batch in batches]


def test_tensors_share_the_memory_of_the_arrays(run: tidemill.Run) -> None:
    batch = next(iter(arrays.TrainingSet(run, 3)))
    tensors = TensorBatch.of(batch)
    assert tensors.input.data_ptr() == batch.input.ctypes.data
    assert tensors.input.dtype is torch.float32 and tensors.targets is not None and tensors.targets.dtype is torch.int64
    assert tensors.keys.tolist() == batch.keys.tolist() and len(tensors) == 16
    tensors.input.mul_(2)
    assert float(tensors.input.sum()) == pytest.approx(float(batch.input.sum()))


def test_a_network_learns_from_it(run: tidemill.Run) -> None:
    torch.manual_seed(1)
    network = torch.nn.Linear(4, 5)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses = []
    with TrainingSet(run, trigger=3) as samples:
        for _ in range(5):
            total = 0.0
            for batch in samples:
                loss = torch.nn.functional.cross_entropy(network(batch.input), batch.targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / len(samples)
            losses.append(total)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("persistent", [False, True])
def test_processes_of_a_loader_take_turns(run: tidemill.Run, persistent: bool) -> None:
    with TrainingSet(run, 3) as samples:
        expected = [keys_of(samples) for _ in range(2)]
    loader = DataLoader(TrainingSet(run, 3), batch_size=None, num_workers=2, multiprocessing_context="spawn",
                        persistent_workers=persistent)
    assert [keys_of(loader) for _ in range(2)] == expected


def test_a_stateful_loader_goes_on_with_another_number_of_processes(run: tidemill.Run) -> None:
    with TrainingSet(run, 3) as samples:
        expected = [keys for _ in range(3) for keys in keys_of(samples)]
    draws = random.Random(3)
    state: dict[str, Any] | None = None
    read: list[list[int]] = []
    for num_processes in (0, 2, 1, 0):
        samples = TrainingSet(run, 3)
        if state is not None:
            samples.load_state_dict(state)
        loader = stateful.StatefulDataLoader(samples, batch_size=None, num_workers=num_processes,
                                             multiprocessing_context="spawn" if num_processes else None)
        steps = draws.randint(2, 5)
        for batch in loader:
            read.append(batch.keys.tolist())
            steps -= 1
            if steps == 0:
                break
        state = loader.state_dict()
    assert read == expected[:len(read)] and len(read) >= 8


def test_a_stateful_loader_of_as_many_processes_takes_its_own_state(run: tidemill.Run) -> None:
    def made() -> Any:
        return stateful.StatefulDataLoader(TrainingSet(run, 3), batch_size=None, num_workers=2, multiprocessing_context="spawn")
    with TrainingSet(run, 3) as samples:
        expected = keys_of(samples)
    loader = made()
    batches = iter(loader)
    read = keys_of(next(batches) for _ in range(5))
    again = made()
    again.load_state_dict(loader.state_dict())
    assert read + keys_of(again) == expected


def test_a_set_is_saved_with_a_checkpoint(run: tidemill.Run, tmp_path: pathlib.Path) -> None:
    with TrainingSet(run, 3) as samples:
        batches = iter(samples)
        read = keys_of(next(batches) for _ in range(3))
        torch.save({"samples": samples.state_dict()}, tmp_path / "checkpoint")
    with TrainingSet(run, 3) as samples:
        samples.load_state_dict(torch.load(tmp_path / "checkpoint")["samples"])
        assert len(keys_of(samples)) == len(samples) - 3 and read
