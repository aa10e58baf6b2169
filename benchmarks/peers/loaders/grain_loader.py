"""Grain: random access by a shuffled index, in threads or processes."""
import grain
import numpy
import torch

import conversions
import data

TITLE = "Grain"
REQUIREMENTS = "torch"
PACKAGES = ("grain", "torch", "simplejpeg")
GUIDE = "https://google-grain.readthedocs.io/en/latest/tutorials/dataset_basic_tutorial.html"
SETTINGS = {"criteo": [{"threads": 2}, {"processes": 2}], "tenth": [{"threads": 2}, {"processes": 2}],
            "jpeg": [{"threads": 2, "decoder": "turbo"}, {"processes": 2, "decoder": "turbo"}]}
HOW = "MapDataset, shuffle, batches of row numbers, conversion by batch; to_iter_dataset with threads, or mp_prefetch with processes"


class Records(grain.sources.RandomAccessDataSource if hasattr(grain, "sources") else object):
    """Gives row numbers; whole batches of them are read at once."""

    def __init__(self, num_rows):
        self.num_rows = num_rows

    def __len__(self):
        return self.num_rows

    def __getitem__(self, row):
        return row


class ReadRecords:
    def __init__(self, folder):
        self.folder, self.records = folder, None

    def __getstate__(self):
        return {"folder": self.folder, "records": None}

    def __call__(self, rows):
        if self.records is None:
            self.records = conversions.map_records(self.folder)
        made = conversions.records_to_batch(self.records.index_select(0, torch.from_numpy(numpy.asarray(rows, numpy.int64))))
        return tuple(column.numpy() for column in made)


class ReadPhotograph:
    def __init__(self, folder, decoder):
        self.files, self.convert = conversions.files_of(folder), conversions.PHOTOGRAPH[decoder]

    def __call__(self, row):
        return numpy.int64(row), self.convert(self.files[row].read_bytes()).numpy()


def prepare(workload, folder, setting):
    jpeg = workload == "jpeg"
    num_rows = len(conversions.files_of(folder)) if jpeg else len(conversions.map_records(folder))

    def epoch(seed):
        made = grain.MapDataset.source(Records(num_rows)).shuffle(seed=seed)
        if workload == "tenth":
            made = made[:num_rows // 10]
        if jpeg:
            made = made.map(ReadPhotograph(folder, setting["decoder"])).batch(32)
        else:
            made = made.batch(8192).map(ReadRecords(folder))
        threads = setting.get("threads", 1)
        made = made.to_iter_dataset(grain.ReadOptions(num_threads=threads, prefetch_buffer_size=2 * threads))
        if "processes" in setting:
            made = made.mp_prefetch(grain.MultiprocessingOptions(num_workers=setting["processes"]))
        for batch in made:
            yield tuple(torch.from_numpy(numpy.asarray(column)) for column in batch)

    return epoch
