"""PyTorch's DataLoader over a memory-mapped file of records, for read_vs_dataloader_bench.

dataloader.py FILE RECORD_BYTES NUM_ROWS

Takes NUM_ROWS int64 row numbers from its input after each line "rows". After "read" it reads the records
of one such list, of another one each time; after "check" those of the first. Answers each with a line: "ok",
the number of records, the sum of their bytes. The first list is read with every setting there is; the
fastest is the one that is measured.
"""
import statistics
import sys
import time

import numpy
import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    """Takes a whole batch of row numbers at a time; gives the records, and their first four bytes as labels."""

    def __init__(self, file, record_bytes, way):
        self.records = numpy.memmap(file, dtype=numpy.uint8, mode="r").reshape(-1, record_bytes)
        self.tensor = torch.from_numpy(self.records)
        self.way = way

    def __getitem__(self, rows):
        records = self.take(rows)
        return records, records[:, :4].contiguous().view(torch.int32).flatten().long()

    def take(self, rows):
        if self.way == "index":
            return torch.from_numpy(self.records[rows])
        if self.way == "take":
            return torch.from_numpy(self.records.take(rows, axis=0))
        return self.tensor.index_select(0, torch.from_numpy(rows))


class Batches:
    """The batch sampler: arrays of row numbers."""

    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.rows = numpy.empty(0, numpy.int64)

    def __len__(self):
        return -(-len(self.rows) // self.batch_size)

    def __iter__(self):
        for at in range(0, len(self.rows), self.batch_size):
            yield self.rows[at : at + self.batch_size]


class Setting:
    def __init__(self, file, record_bytes, way, batch_size, workers):
        self.name = f"{way}, batches of {batch_size}, {workers} workers"
        self.batches = Batches(batch_size)
        self.loader = DataLoader(
            Records(file, record_bytes, way), sampler=self.batches, batch_size=None,
            num_workers=workers, persistent_workers=workers > 0,
        )

    def read(self, rows):
        self.batches.rows = rows
        return sum(len(records) for records, labels in self.loader)

    def check(self, rows):
        self.batches.rows = rows
        return sum(int(records.sum(dtype=torch.int64)) for records, labels in self.loader)

    def seconds(self, rows):
        self.read(rows)
        times = []
        for _ in range(7):
            start = time.perf_counter()
            self.read(rows)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def fastest(file, record_bytes, rows):
    settings = [
        Setting(file, record_bytes, way, batch_size, workers)
        for way in ("index", "take", "index_select")
        for batch_size in (1024, 8192)
        for workers in (0, 2)
    ]
    seconds = [setting.seconds(rows) for setting in settings]
    for setting, taken in zip(settings, seconds):
        print(f"DataLoader: {len(rows) / taken / 1e6:6.2f} M samples/s, {setting.name}", file=sys.stderr)
    return settings[seconds.index(min(seconds))]


def main():
    file, record_bytes, num_rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    lists, num_read, setting = [], 0, None
    source = sys.stdin.buffer
    for command in iter(source.readline, b""):
        answer = "ok"
        if command == b"rows\n":
            lists.append(numpy.frombuffer(source.read(8 * num_rows), numpy.int64))
            setting = setting or fastest(file, record_bytes, lists[0])
        elif command == b"read\n":
            num_read += 1
            answer = setting.read(lists[num_read % len(lists)])
        else:
            answer = setting.check(lists[0])
        print(answer, flush=True)


if __name__ == "__main__":
    main()
