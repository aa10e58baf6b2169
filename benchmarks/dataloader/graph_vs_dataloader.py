"""PyTorch's DataLoader over a mapped file of records, with its conversion to tensors, for graph_vs_dataloader_bench.

graph_vs_dataloader.py FOLDER

Makes epochs of batches of 8,192 records of FOLDER/records.bin in random order, as the vectorised loader of
benchmarks/peers does: rows taken by one index_select, logarithms by torch, hashes by one product. After "read" it
makes an epoch, another one each time, and answers with its number of records; after "check" with the sum of their
labels, logarithms and records. The first epochs try all numbers of workers; the fastest is the one that is measured.
"""
import pathlib
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
from loaders import dataloader_vectorised  # noqa: E402


class Setting:
    def __init__(self, folder, workers):
        self.name = f"{workers} workers"
        self.epoch = dataloader_vectorised.prepare("criteo", folder, {"workers": workers})
        self.seed = 0

    def read(self):
        self.seed += 1
        return sum(len(labels) for labels, numbers, categories in self.epoch(self.seed))

    def check(self):
        sums = [(int(labels.sum()), float(numbers.sum(dtype=torch.float64)), len(labels))
                for labels, numbers, categories in self.epoch(0)]
        return sum(label + number + count for label, number, count in sums)

    def seconds(self):
        self.read()
        times = []
        for _ in range(3):
            start = time.perf_counter()
            self.read()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def fastest(folder):
    settings = [Setting(folder, setting["workers"]) for setting in dataloader_vectorised.SETTINGS["criteo"]]
    seconds = [setting.seconds() for setting in settings]
    for setting, taken in zip(settings, seconds):
        print(f"DataLoader: {setting.read() / taken / 1e6:6.2f} M samples/s, {setting.name}", file=sys.stderr)
    return settings[seconds.index(min(seconds))]


def main():
    setting = fastest(pathlib.Path(sys.argv[1]))
    for command in sys.stdin:
        print(setting.read() if command == "read\n" else setting.check(), flush=True)


if __name__ == "__main__":
    main()
