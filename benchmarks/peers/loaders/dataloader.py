"""PyTorch DataLoader, per sample: a map-style dataset, the default sampler and collation."""
import numpy
import torch
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler

import conversions

TITLE = "PyTorch DataLoader, per sample"
REQUIREMENTS = "torch"
PACKAGES = ("torch", "simplejpeg")
GUIDE = "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html"
SETTINGS = {"criteo": [{"workers": 2}], "tenth": [{"workers": 2}],
            "jpeg": [{"workers": 2, "decoder": "turbo"}, {"workers": 2, "decoder": "pillow"}]}
HOW = "persistent workers, prefetch_factor 4; photographs by libjpeg-turbo and torch's antialiasing, or by Pillow"


class Records(Dataset):
    def __init__(self, folder):
        self.records = conversions.map_records(folder).numpy()

    def __len__(self):
        return len(self.records)

    def __getitem__(self, row):
        return conversions.bytes_to_sample(self.records[row])


class Photographs(Dataset):
    def __init__(self, folder, decoder):
        self.files = conversions.files_of(folder)
        self.convert = conversions.PHOTOGRAPH[decoder]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, row):
        return row, self.convert(self.files[row].read_bytes())


class EpochSampler(SubsetRandomSampler):
    """All rows in random order, or a tenth of them."""

    def __init__(self, workload, num_rows):
        self.workload, self.num_rows, self.seed = workload, num_rows, 0

    def __iter__(self):
        return iter(conversions.rows_of_epoch(self.workload, self.num_rows, self.seed).tolist())

    def __len__(self):
        return self.num_rows // 10 if self.workload == "tenth" else self.num_rows


def prepare(workload, folder, setting):
    of_photographs = "decoder" in setting
    dataset = Photographs(folder, setting["decoder"]) if of_photographs else Records(folder)
    sampler = EpochSampler(workload, len(dataset))
    loader = DataLoader(dataset, batch_size=setting.get("batch", 32) if of_photographs else 8192, sampler=sampler,
                        num_workers=setting["workers"], persistent_workers=True, prefetch_factor=4)

    def epoch(seed):
        sampler.seed = seed
        yield from loader

    epoch.loader = loader
    return epoch
