"""Hugging Face datasets: an Arrow table, mapped."""
import datasets
import numpy
import pyarrow
import torch
from torch.utils.data import DataLoader

import conversions
import data
from loaders.dataloader_vectorised import Batches

TITLE = "Hugging Face datasets"
REQUIREMENTS = "torch"
PACKAGES = ("datasets", "torch", "simplejpeg")
GUIDE = "https://huggingface.co/docs/datasets/use_with_pytorch"
SETTINGS = {"criteo": [{"workers": 0}, {"workers": 2}], "tenth": [{"workers": 0}, {"workers": 2}],
            "jpeg": [{"workers": 2, "decoder": "turbo"}]}
HOW = "the Arrow format, whole lists of rows at a time, conversion by batch; DataLoader with batch_size=None and persistent workers"


def write_arrow(workload, folder):
    saved = folder.parent / f"{folder.name}_arrow"
    if not saved.exists():
        if workload == "jpeg":
            files = conversions.files_of(folder)
            table = pyarrow.table({"number": list(range(len(files))), "image": [file.read_bytes() for file in files]})
        else:
            records = data.read_records(folder)
            offsets = numpy.arange(len(records) + 1, dtype=numpy.int32) * records.itemsize
            table = pyarrow.table({"record": pyarrow.BinaryArray.from_buffers(
                pyarrow.binary(), len(records), [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(records)])})
        datasets.Dataset(datasets.table.InMemoryTable(table)).save_to_disk(str(saved))
    return datasets.load_from_disk(str(saved)).with_format("arrow")


class ByRows:
    """Takes an array of rows at a time."""

    def __init__(self, dataset, convert):
        self.dataset, self.convert = dataset, convert

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, rows):
        return self.convert(self.dataset[rows.tolist()])


def convert_records(table):
    column = table["record"].combine_chunks()
    offsets = numpy.frombuffer(column.buffers()[1], numpy.int32)
    begin, end = (int(offsets[column.offset + at]) for at in (0, len(column)))
    return conversions.bytes_to_batch(bytearray(memoryview(column.buffers()[2])[begin:end]))


class ConvertPhotographs:
    def __init__(self, decoder):
        self.convert = conversions.PHOTOGRAPH[decoder]

    def __call__(self, table):
        images = [self.convert(image.as_py()) for image in table["image"]]
        return torch.tensor(table["number"].to_pylist()), torch.stack(images)


class SmallBatches(Batches):
    def __iter__(self):
        return iter(torch.from_numpy(conversions.rows_of_epoch("jpeg", self.num_rows, self.seed)).split(32))

    def __len__(self):
        return -(-self.num_rows // 32)


def prepare(workload, folder, setting):
    convert = ConvertPhotographs(setting["decoder"]) if workload == "jpeg" else convert_records
    dataset = ByRows(write_arrow(workload, folder), convert)
    batches = SmallBatches(workload, len(dataset)) if workload == "jpeg" else Batches(workload, len(dataset))
    loader = DataLoader(dataset, batch_size=None, sampler=batches, num_workers=setting["workers"],
                        persistent_workers=setting["workers"] > 0)

    def epoch(seed):
        batches.seed = seed
        yield from loader

    return epoch
