"""A training set as tensors by tidemill.torch, for torch_vs_cpp_bench.

torch_vs_cpp.py STATE RUN TRIGGER DATASET GRAPH BATCH_SIZE

Reads the sealed set of a stack. After "read" it reads an epoch, another one each time, and answers with its number of records;
after "check" with the sum of their labels, numbers and records.
"""
import dataclasses
import os
import sys
import types

import torch

from tidemill.client.address import Address, find
from tidemill.torch import TrainingSet


@dataclasses.dataclass
class SealedSet:
    """A training set without a run: its reader needs the reach of a stack, a number and a pipeline."""

    number: int
    stack: types.SimpleNamespace
    pipeline_resolved: str

    def message(self):
        return self


def pipeline_of(dataset, graph, batch_size):
    steps = "\n".join("    " + line for line in graph.splitlines())
    return f"preprocess:\n  dataset: {dataset}\n  graph:\n{steps}\ntraining: {{batch_size: {batch_size}, seed: 1}}\n"


def opened(state, run, trigger, dataset, graph, batch_size):
    stack = types.SimpleNamespace(services=types.SimpleNamespace(reach=find(Address(state=state))))
    return TrainingSet(SealedSet(int(run), stack, pipeline_of(dataset, graph, batch_size)), int(trigger),
                       num_threads=os.cpu_count())


def checked(samples):
    return sum(float(batch.targets.sum()) + float(batch.inputs["input"].sum(dtype=torch.float64)) + len(batch) for batch in samples)


def main():
    torch.set_num_threads(1)
    samples = opened(*sys.argv[1:])
    for command in sys.stdin:
        print(sum(len(batch) for batch in samples) if command == "read\n" else checked(samples), flush=True)


if __name__ == "__main__":
    main()
