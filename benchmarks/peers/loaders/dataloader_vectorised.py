"""PyTorch DataLoader, vectorised: a sampler of whole batches and a dataset that takes lists of rows."""
from torch.utils.data import DataLoader, Dataset

import torch

import conversions

TITLE = "PyTorch DataLoader, vectorised"
REQUIREMENTS = "torch"
PACKAGES = ("torch",)
GUIDE = "https://pytorch.org/docs/stable/data.html#disable-automatic-batching"
SETTINGS = {"criteo": [{"workers": 0}, {"workers": 1}, {"workers": 2}],
            "tenth": [{"workers": 0}, {"workers": 1}, {"workers": 2}]}
HOW = "batch_size=None, a sampler of arrays of 8,192 rows, index_select on the mapped file, conversion in place; persistent workers"


class Records(Dataset):
    def __init__(self, folder):
        self.records = conversions.map_records(folder)

    def __len__(self):
        return len(self.records)

    def __getitem__(self, rows):
        return conversions.records_to_batch(self.records.index_select(0, rows))


class Batches:
    def __init__(self, workload, num_rows):
        self.workload, self.num_rows, self.seed = workload, num_rows, 0

    def __iter__(self):
        return iter(torch.from_numpy(conversions.rows_of_epoch(self.workload, self.num_rows, self.seed)).split(8192))

    def __len__(self):
        rows = self.num_rows // 10 if self.workload == "tenth" else self.num_rows
        return -(-rows // 8192)


def prepare(workload, folder, setting):
    dataset = Records(folder)
    batches = Batches(workload, len(dataset))
    loader = DataLoader(dataset, batch_size=None, sampler=batches, num_workers=setting["workers"],
                        persistent_workers=setting["workers"] > 0)

    def epoch(seed):
        batches.seed = seed
        yield from loader

    epoch.loader = loader
    return epoch
