"""LitData: optimised chunks on the local disk."""
import litdata
import torch

import conversions

TITLE = "LitData"
REQUIREMENTS = "torch"
PACKAGES = ("litdata", "torch", "simplejpeg")
GUIDE = "https://github.com/Lightning-AI/litData#speed-benchmarks"
SETTINGS = {"criteo": [{"workers": 0}, {"workers": 2}], "tenth": [{"workers": 0}, {"workers": 2}],
            "jpeg": [{"workers": 2, "decoder": "turbo"}]}
HOW = "chunks of 64 MB made by optimize, StreamingDataLoader, records converted by batch in collate_fn; order within chunks is random, and that of chunks"


class Record:
    """A record by its number; it goes to the process that writes."""

    def __init__(self, folder):
        self.records = conversions.map_records(folder).numpy()

    def __call__(self, row):
        return self.records[row].tobytes()


def photograph(numbered):
    return numbered[0], open(numbered[1], "rb").read()


def write_chunks(workload, folder):
    chunks = folder.parent / f"{folder.name}_litdata"
    if not (chunks / "index.json").exists():
        if workload == "jpeg":
            inputs = [(number, str(file)) for number, file in enumerate(conversions.files_of(folder))]
            litdata.optimize(fn=photograph, inputs=inputs, output_dir=str(chunks), chunk_bytes="8MB", num_workers=1)
        else:
            record = Record(folder)
            litdata.optimize(fn=record, inputs=list(range(len(record.records))), output_dir=str(chunks),
                             chunk_bytes="64MB", num_workers=1)
    return str(chunks)


def join(samples):
    return conversions.bytes_to_batch(bytearray(b"".join(samples)))


class Photographs:
    def __init__(self, decoder):
        self.convert = conversions.PHOTOGRAPH[decoder]

    def __call__(self, samples):
        return torch.tensor([number for number, _ in samples]), torch.stack([self.convert(image) for _, image in samples])


def prepare(workload, folder, setting):
    chunks = write_chunks(workload, folder)
    collate = Photographs(setting["decoder"]) if workload == "jpeg" else join

    def open_loader(seed):
        dataset = litdata.StreamingDataset(chunks, shuffle=True, seed=seed, subsample=0.1 if workload == "tenth" else 1.0)
        return litdata.StreamingDataLoader(dataset, batch_size=32 if workload == "jpeg" else 8192, shuffle=True,
                                           num_workers=setting["workers"], collate_fn=collate,
                                           persistent_workers=setting["workers"] > 0)

    # A new tenth for each epoch needs its own dataset.
    loader = None if workload == "tenth" else open_loader(1)

    def epoch(seed):
        yield from loader or open_loader(seed)

    return epoch
