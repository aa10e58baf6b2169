"""Runs one loader for the runner: peer.py LOADER WORKLOAD FOLDER SETTING

After "ready", each line on standard input is a command: `epoch SEED` makes an epoch and prints its number of
samples and its seconds; `check SEED FILE` also writes to FILE what data.py compares. Several trainings of one epoch
write to FILE, FILE.1 and so on; their samples are those of one training, and the last one ends the time.
"""
import importlib
import json
import os
import pathlib
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def write_for_check(file, batch):
    label, *rest = (numpy.asarray(column) for column in batch)
    if label.dtype != numpy.int64 or rest[0].dtype != numpy.float32:
        raise TypeError(f"labels are {label.dtype} and inputs {rest[0].dtype}, not int64 and float32")
    if len(rest) == 1:
        rest = [rest[0][:, :, ::4, ::4]]
    elif rest[1].dtype != numpy.int64:
        raise TypeError(f"categories are {rest[1].dtype}, not int64")
    for column in (numpy.int64(len(label)), label, *rest):
        file.write(numpy.ascontiguousarray(column).tobytes())


def read(batches, check_file=None):
    """The number of samples in some batches."""
    file = open(check_file, "wb") if check_file else None
    num_samples = 0
    for batch in batches:
        num_samples += len(batch[0])
        if file:
            write_for_check(file, batch)
    if file:
        file.close()
    return num_samples


def run(loader, seed, check_file=None):
    # A loader of several trainings has its own way to read.
    epoch = getattr(loader, "read", None) or (lambda seed, check_file: read(loader(seed), check_file))
    begin = time.perf_counter()
    num_samples = epoch(seed, check_file)
    return f"{num_samples} {time.perf_counter() - begin:.6f}"


def main():
    name, workload, folder, setting = sys.argv[1:]
    # What loaders print is not an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    loader = importlib.import_module(f"loaders.{name}").prepare(workload, pathlib.Path(folder), json.loads(setting))
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        _, seed, *check_file = line.split()
        print(run(loader, int(seed), *check_file), file=answers, flush=True)
    answers.flush()
    getattr(loader, "close", lambda: None)()
    os._exit(0)


if __name__ == "__main__":
    main()
