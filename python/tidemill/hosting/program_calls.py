"""What is asked of programs: to train, and to predict with what they have returned.

A training is a conversation. The owner asks `run`. Each answer says what the program wants next: a batch, to have a checkpoint
kept, to report, or to hand over its model. The owner's next request, `continue`, is what it wanted.
"""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tidemill.batch import Batch
from tidemill.hosting.calls import KindCalls
from tidemill.hosting.faults import Refused
from tidemill.hosting.program_models import answers_of, loaded_model, packed_model
from tidemill.plugin import Block
from tidemill.training.loop import Facts, Next, Report, Training
from tidemill.training.program import Program
from tidemill.training.states import seed_generators

# Sends an answer, and returns the request after it.
Exchange = Callable[[dict[str, Any]], dict[str, Any]]


class ProgramCalls(KindCalls[Program]):
    """A program."""

    calls = KindCalls.calls | {"run", "open", "predict", "close"}
    copying = "batch.input.copy()"
    #: Set by the host.
    exchange: Exchange

    def created(self, request: dict[str, Any]) -> dict[str, Any]:
        told = request["training"]
        self.facts = Facts(epochs=int(told["epochs"]), batch_size=int(told["batch_size"]), seed=int(request["seed"]),
                           trigger=int(told["trigger"]), outputs=int(told["outputs"]),
                           is_of_classes=bool(told["is_of_classes"]), classes=tuple(map(str, told["classes"])),
                           answers_probabilities=bool(told["answers_probabilities"]), num_threads=int(told["num_threads"]))
        self._models: dict[int, Any] = {}
        return {}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        block = self.memory.block(request) if "rows" in request else None
        checkpoint = _bytes_at(block, "checkpoint")
        parent = _bytes_at(block, "previous")
        block = None
        feed = _OwnersFeed(self)
        training = Training(self.facts, feed, self.plugin.values(), checkpoint,
                            None if parent is None else lambda: loaded_model(str(request["previous_form"]), parent),
                            num_batches=int(request["num_batches"]), num_samples=int(request["num_samples"]))
        checkpoint = None
        seed_generators(self.facts.seed, self.facts.num_threads)
        model = type(self.plugin).function(training, **self.plugin.values())
        packed = packed_model(model, self.facts, training.sample, type(self.plugin).function)
        return {"want": "model", "form": packed.form, "reports": told_reports(training._taken()),
                **self.answers.write(1, {"model": [packed.data]})}

    def open(self, request: dict[str, Any]) -> dict[str, Any]:
        packed = _bytes_at(self.memory.block(request), "model")
        if packed is None:
            raise Refused("the call open without a model")
        self._models[int(request["number"])] = loaded_model("pickle", packed)
        return {}

    def close(self, request: dict[str, Any]) -> dict[str, Any]:
        self._models.pop(int(request["number"]), None)
        return {}

    def predict(self, request: dict[str, Any]) -> dict[str, Any]:
        model = self._models.get(int(request["number"]))
        if model is None:
            raise Refused(f"the call predict of the model {request['number']}, which is not open")
        batch = _batch(self.memory.block(request), {})
        return self.answers.write(len(batch), {"outputs": answers_of(model, batch, self.facts)})


class _OwnersFeed:
    """Asks the owner of the host."""

    def __init__(self, calls: ProgramCalls) -> None:
        self._calls = calls
        self._lock = threading.Lock()

    def next(self, reports: list[Report], is_checkpoint_possible: bool) -> Next:
        with self._lock:
            request = self._ask({"want": "batch", "checkpoint": is_checkpoint_possible, "reports": told_reports(reports)})
            is_save = bool(request.get("save"))
            has_none = is_save or bool(request.get("end"))
            return Next(batch=None if has_none else _batch(self._calls.memory.block(request), request),
                        is_checkpoint_wanted=is_save, num_batches=int(request["num_batches"]),
                        num_samples=int(request["num_samples"]))

    def tell(self, reports: list[Report]) -> None:
        with self._lock:
            self._ask({"want": "report", "reports": told_reports(reports)})

    def save(self, state: bytes, reports: list[Report]) -> None:
        with self._lock:
            self._ask({"want": "checkpoint", "reports": told_reports(reports),
                       **self._calls.answers.write(1, {"state": [state]})})

    def _ask(self, want: dict[str, Any]) -> dict[str, Any]:
        request = self._calls.exchange(want)
        if request.get("call") != "continue":
            raise Refused(f"the call {request.get('call')!r} while a program trains")
        return request


def told_reports(reports: list[Report]) -> list[dict[str, Any]]:
    """Reports as messages have them."""
    told = []
    for report in reports:
        one: dict[str, Any] = {"measures": [{"name": name, "value": value} for name, value in report.measures.items()]}
        if report.loss is not None:
            one["loss"] = report.loss
        if report.validation_loss is not None:
            one["validation_loss"] = report.validation_loss
        told.append(one)
    return told


def _bytes_at(block: Block | None, name: str) -> bytes | None:
    return bytes(block[name][0]) if block is not None and name in block else None


def _batch(block: Block, told: dict[str, Any]) -> Batch:
    """The batch of a request. Its arrays are copies: the memory has the next batch while a program still holds this one."""
    num_rows = block.num_rows
    inputs = {name: np.array(block[name]) for name in block.keys() if name == "input" or name.startswith("input_")}
    return Batch(
        epoch=int(told.get("epoch", 0)), index=int(told.get("index", 0)),
        keys=np.array(block["key"]) if "key" in block else np.zeros(num_rows, np.int64),
        ordinals=np.array(block["ordinal"]) if "ordinal" in block else np.arange(num_rows, dtype=np.int64),
        inputs=inputs, targets=np.array(block["target"]) if "target" in block else None,
        weights=np.array(block["weight"]) if "weight" in block else None,
        num_skipped=int(told.get("num_skipped", 0)), num_filtered=int(told.get("num_filtered", 0)),
        reason=str(told.get("reason", "")))
