"""Batches of a training set as arrays: those of the loader, wherever they are made and wherever reading was interrupted."""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import tidemill
from tidemill.arrays import TrainingSet
from tidemill.batch import Array, Batch

SAMPLES = int(float(os.environ.get("TIDEMILL_PYTHON_SAMPLES", "20000")))
BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"
PIPELINE = """
version: 1
name: numbers
datasets:
  numbers:
    path: {folder}
    files: "numbers.csv"
    format: {{type: csv, header: true}}
    event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
    label: {{column: class, classes: [third, other]}}
preprocess:
  dataset: numbers
  graph:
    - parse_csv: {{columns: [a, b], dtype: float32}}
    - standardize: {{columns: all}}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {{type: logistic, outputs: 2}}
trigger: {{type: amount, samples: {half}}}
selection: {{type: balanced, fraction: 0.9, weights: inverse_probability}}
training: {{epochs: 1, batch_size: 256, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy, seed: 7}}
"""


@pytest.fixture(scope="module")
def numbers(stack: tidemill.Stack, tmp_path_factory: pytest.TempPathFactory) -> tidemill.Run:
    """A run over many rows, of which a weighted selection trains on most."""
    folder = tmp_path_factory.mktemp("numbers")
    rows = numpy.arange(SAMPLES)
    lines = [f"{row},{row % 1000},{'third' if row % 3 == 0 else 'other'}" for row in rows]
    (folder / "numbers.csv").write_text("\n".join(["a,b,class", *lines]) + "\n")
    pipeline = folder / "pipeline.yaml"
    pipeline.write_text(PIPELINE.format(folder=folder, half=SAMPLES // 2))
    return stack.run(pipeline)


def columns_of(batch: Batch) -> dict[str, Array]:
    found = {"key": batch.keys, "ordinal": batch.ordinals, "target": batch.targets, "weight": batch.weights, **batch.inputs}
    return {name: array for name, array in found.items() if array is not None}


def sums_of(batch: Batch) -> dict[str, str]:
    return {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in columns_of(batch).items()}


def sums_of_loader(samples: TrainingSet, folder: pathlib.Path, count: int) -> list[tuple[int, int, dict[str, str]]]:
    """What the loader of C++ makes for the same request."""
    (folder / "request").write_text(json.dumps(samples.request(0)))
    (folder / "pipeline").write_text(samples.pipeline)
    done = subprocess.run([BUILD / "bin/batch_sums", folder / "request", folder / "pipeline", str(count)],
                          capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(int(row[0]), int(row[1]), dict(column.split("=") for column in row[2:])) for row in rows]


WAYS: list[dict[str, Any]] = [
    {}, {"num_threads": 1}, {"workers": True, "transport": "ring"}, {"workers": True, "transport": "frames"}]


@pytest.mark.parametrize("way", WAYS, ids=["here", "one thread", "ring", "frames"])
def test_the_arrays_have_the_bytes_of_the_loader(numbers: tidemill.Run, tmp_path: pathlib.Path, way: dict[str, Any]) -> None:
    with TrainingSet(numbers, 2, **way) as samples:
        expected = sums_of_loader(TrainingSet(numbers, 2), tmp_path, 2 * len(samples))
        read = [(batch.epoch, batch.index, sums_of(batch)) for _ in range(2) for batch in samples]
    assert len(read) == 2 * len(samples) > 4
    assert read == expected


def test_each_epoch_has_every_sample_once_and_in_another_order(numbers: tidemill.Run) -> None:
    with TrainingSet(numbers, 1) as samples:
        first, second = ([key for batch in samples for key in batch.keys.tolist()] for _ in range(2))
        assert len(first) == samples.num_samples
    assert sorted(first) == sorted(second) and first != second and len(set(first)) == len(first)


def test_rows_can_be_changed_in_place(numbers: tidemill.Run) -> None:
    for way in WAYS:
        with TrainingSet(numbers, 1, **way) as samples:
            for batch in samples:
                batch.input[...] = 0
                assert not batch.input.any()


def ranked(numbers: tidemill.Run, num_ranks: int, start: dict[str, Any],
           num_batches: int) -> tuple[list[list[int]], dict[str, Any]]:
    """Batches read by ranks from a state on, their parts side by side, and the state after them."""
    ranks = [TrainingSet(numbers, 2, rank=rank, num_ranks=num_ranks) for rank in range(num_ranks)]
    for rank in ranks:
        rank.load_state_dict(start)
    parts = []
    for rank in ranks:
        batches: list[list[int]] = []
        while len(batches) < num_batches:
            for batch in rank:
                batches.append(batch.keys.tolist())
                if len(batches) == num_batches:
                    break
        parts.append(batches)
    state = ranks[-1].state_dict()
    for rank in ranks:
        rank.close()
    return [[key for part in at for key in part] for at in zip(*parts)], state


def test_reading_goes_on_at_any_place_with_any_number_of_ranks(numbers: tidemill.Run) -> None:
    draws = random.Random(5)
    with TrainingSet(numbers, 2) as whole:
        num_batches = len(whole)
        expected = [batch.keys.tolist() for _ in range(3) for batch in whole]
    state = TrainingSet(numbers, 2).state_dict()
    read: list[list[int]] = []
    for _ in range(20):
        num_ranks, steps = draws.randint(1, 4), draws.randint(1, max(1, num_batches // 8))
        batches, state = ranked(numbers, num_ranks, json.loads(json.dumps(state)), steps)
        read += batches
    assert read == expected[:len(read)] and len(read) >= 20


def workers_of(stack: tidemill.Stack) -> list[int]:
    """The processes of the stack's preprocessing workers."""
    state = str(stack.services.reach.state)
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"tidemill-preprocess-worker") and state.encode() in b" ".join(words):
                found.append(int(entry.name))
    return found


def test_a_killed_worker_is_not_noticed(stack: tidemill.Stack, numbers: tidemill.Run) -> None:
    with TrainingSet(numbers, 2) as samples:
        expected = [batch.keys.tolist() for batch in samples]
    with TrainingSet(numbers, 2, workers=True, bytes_ahead=1 << 20) as samples:
        batches = iter(samples)
        read = [next(batches).keys.tolist() for _ in range(3)]
        assert workers_of(stack)
        for process in workers_of(stack):
            os.kill(process, signal.SIGKILL)
        read += [batch.keys.tolist() for batch in batches]
    assert read == expected


def test_chosen_keys_are_read_in_place_of_the_set(numbers: tidemill.Run) -> None:
    with TrainingSet(numbers, 1) as samples:
        keys = next(iter(samples)).keys[:10]
    with TrainingSet(numbers, 1, keys=keys, shuffle=False, batch_size=4) as chosen:
        read = list(chosen)
    assert [len(batch) for batch in read] == [4, 4, 2]
    assert [key for batch in read for key in batch.keys.tolist()] == keys.tolist()


def test_batches_outlive_their_set(numbers: tidemill.Run) -> None:
    with TrainingSet(numbers, 1, workers=True) as samples:
        kept = list(samples)
        sums = [sums_of(batch) for batch in kept]
    del samples
    assert [sums_of(batch) for batch in kept] == sums


def forked(samples: TrainingSet) -> Iterator[str]:
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            next(iter(samples))
            os.write(writing, b"it read")
        except tidemill.Error as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(process, 0)
    yield os.read(reading, 4096).decode()


def test_what_is_wrong_is_said(numbers: tidemill.Run) -> None:
    with pytest.raises(tidemill.NotFound, match="trigger 99"):
        len(TrainingSet(numbers, 99))
    with pytest.raises(tidemill.Error, match="rank"):
        len(TrainingSet(numbers, 1, rank=3, num_ranks=2))
    with pytest.raises(tidemill.Error, match="group"):
        len(TrainingSet(numbers, 1, rank=1, num_ranks=2, workers=True))
    with pytest.raises(tidemill.Error, match="no keys"):
        TrainingSet(numbers, 1, keys=[])
    with TrainingSet(numbers, 1) as samples:
        state = samples.state_dict()
        len(samples)
        assert "forked" in next(forked(samples))
    with pytest.raises(tidemill.Error, match="trigger differ"):
        TrainingSet(numbers, 2).load_state_dict(state)
    with pytest.raises(tidemill.Error, match="not a state"):
        TrainingSet(numbers, 1).load_state_dict({"epoch": 3})


def test_an_interrupt_ends_the_wait_for_a_batch(numbers: tidemill.Run) -> None:
    with TrainingSet(numbers, 2, workers=True, bytes_ahead=1 << 20) as samples:
        batches = iter(samples)
        next(batches)
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                while time.monotonic() < begun + 5:
                    next(batches)
                    if samples.position % len(samples) == 0:
                        batches = iter(samples)
        finally:
            signal.signal(signal.SIGALRM, previous)
