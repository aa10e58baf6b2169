"""Ray Data: blocks of records in its object store."""
import numpy
import ray
import torch

import conversions
import data

TITLE = "Ray Data"
REQUIREMENTS = "torch"
PACKAGES = ("ray", "torch", "simplejpeg")
GUIDE = "https://docs.ray.io/en/latest/data/performance-tips.html"
SETTINGS = {"criteo": [{"cpus": 2}], "tenth": [{"cpus": 2}], "jpeg": [{"cpus": 2, "decoder": "turbo"}]}
HOW = "records in Parquet, random_shuffle before each epoch, map_batches of 8,192, iter_torch_batches with prefetch_batches 2"


def write_parquet(folder):
    import pyarrow
    from pyarrow import parquet
    file = folder.parent / f"{folder.name}_parquet" / "records.parquet"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        records = data.read_records(folder)
        bytes_of = pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(records.itemsize), len(records),
                                                             [None, pyarrow.py_buffer(records)])
        parquet.write_table(pyarrow.table({"record": bytes_of}), file, row_group_size=65536, compression="none")
    return str(file.parent)


def convert_records(table):
    records = table["record"].combine_chunks()
    size = records.type.byte_width
    bytes_of = numpy.frombuffer(records.buffers()[1], numpy.uint8, count=size * len(records), offset=size * records.offset)
    label, numbers, categories = conversions.bytes_to_batch(bytearray(bytes_of))
    return {"label": label.numpy(), "numbers": numbers.numpy(), "categories": categories.numpy()}


class ConvertFiles:
    def __init__(self, decoder):
        self.convert = conversions.PHOTOGRAPH[decoder]

    def __call__(self, batch):
        images = [self.convert(open(file, "rb").read()) for file in batch["file"]]
        return {"label": batch["number"], "image": torch.stack(images).numpy()}


def prepare(workload, folder, setting):
    ray.init(num_cpus=setting["cpus"], include_dashboard=False, log_to_driver=False, object_store_memory=2 << 30,
             runtime_env={"env_vars": {"PYTHONPATH": ":".join(__import__("sys").path)}})
    ray.data.DataContext.get_current().enable_progress_bars = False
    if workload == "jpeg":
        source = ray.data.from_items([{"number": number, "file": str(file)}
                                      for number, file in enumerate(conversions.files_of(folder))], override_num_blocks=8)
    else:
        source = ray.data.read_parquet(write_parquet(folder))

    def epoch(seed):
        if workload == "jpeg":
            made = source.random_shuffle(seed=seed).map_batches(ConvertFiles(setting["decoder"]).__call__, batch_size=32)
            for batch in made.iter_torch_batches(batch_size=32, prefetch_batches=2):
                yield batch["label"], batch["image"]
            return
        chosen = source.random_sample(0.1, seed=seed) if workload == "tenth" else source
        made = chosen.random_shuffle(seed=seed).map_batches(convert_records, batch_format="pyarrow", batch_size=8192)
        for batch in made.iter_torch_batches(batch_size=8192, prefetch_batches=2):
            yield batch["label"], batch["numbers"], batch["categories"]

    epoch.close = ray.shutdown
    return epoch
