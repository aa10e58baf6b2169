"""MosaicML Streaming: records or files in MDS shards on the local disk."""
import importlib.machinery
import sys
import types

import torch

import conversions
import data


def import_streaming():
    """It imports torchvision for data sets that are not needed here; the wheels of that want CUDA's libraries."""
    for name, members in (("torchvision", ()), ("torchvision.datasets", ("VisionDataset", "CIFAR10")),
                          ("torchvision.transforms", ()), ("torchvision.transforms.functional", ("to_tensor",))):
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        for member in members:
            setattr(module, member, type(member, (), {}))
        sys.modules[name] = module
    import streaming
    from streaming.base.util import clean_stale_shared_memory
    clean_stale_shared_memory()
    return streaming


TITLE = "MosaicML Streaming"
REQUIREMENTS = "streaming"
PACKAGES = ("mosaicml-streaming", "torch", "simplejpeg")
GUIDE = "https://docs.mosaicml.com/projects/streaming/en/stable/dataset_configuration/shuffling.html"
SETTINGS = {"criteo": [{"workers": 0}, {"workers": 2}], "tenth": [{"workers": 0}, {"workers": 2}],
            "jpeg": [{"workers": 2, "decoder": "turbo"}]}
HOW = "MDS shards, shuffle_algo naive (fully random), records converted by batch in collate_fn; persistent workers"


def write_shards(streaming, workload, folder):
    kind = "jpeg" if workload == "jpeg" else "criteo"
    shards = folder.parent / f"{folder.name}_mds"
    if (shards / "index.json").exists():
        return shards
    if kind == "jpeg":
        samples = ({"number": number, "image": file.read_bytes()} for number, file in enumerate(conversions.files_of(folder)))
        columns = {"number": "int", "image": "bytes"}
    else:
        samples = ({"record": record.tobytes()} for record in data.read_records(folder))
        columns = {"record": "bytes"}
    with streaming.MDSWriter(out=str(shards), columns=columns) as writer:
        for sample in samples:
            writer.write(sample)
    return shards


def join(samples):
    return conversions.bytes_to_batch(bytearray(b"".join(sample["record"] for sample in samples)))


class Photographs:
    def __init__(self, decoder):
        self.convert = conversions.PHOTOGRAPH[decoder]

    def __call__(self, samples):
        return (torch.tensor([sample["number"] for sample in samples]),
                torch.stack([self.convert(sample["image"]) for sample in samples]))


def prepare(workload, folder, setting):
    streaming = import_streaming()
    shards = write_shards(streaming, workload, folder)
    batch_size = 32 if workload == "jpeg" else 8192
    stream = streaming.Stream(local=str(shards))
    if workload == "tenth":
        stream = streaming.Stream(local=str(shards), choose=len(data.read_records(folder)) // 10)
    dataset = streaming.StreamingDataset(streams=[stream], shuffle=True, shuffle_algo="naive", batch_size=batch_size,
                                         num_canonical_nodes=1, sampling_granularity=1)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=batch_size, num_workers=setting["workers"], persistent_workers=setting["workers"] > 0,
        collate_fn=Photographs(setting["decoder"]) if workload == "jpeg" else join)

    def epoch(seed):
        yield from loader

    return epoch
