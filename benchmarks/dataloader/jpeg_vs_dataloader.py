"""PyTorch's DataLoader with Pillow over JPEG files, for jpeg_vs_dataloader_bench.

jpeg_vs_dataloader.py FOLDER BATCH_SIZE WORKERS

Loads the files of FOLDER into memory, then makes batches of what training on photographs takes: resized so that
the shorter side has 256 pixels, the middle 224 x 224 of it, normalised, float32, channels first. After "read" it
makes those of all files, twice, and answers with their number; after "check" it writes the first batch to
FOLDER/first_batch. All ways to turn an image into a tensor are tried, the fastest is the one that is measured.
"""
import io
import os
import pathlib
import statistics
import sys
import time

import numpy
import torch
from torch.utils.data import DataLoader, Dataset

try:
    from PIL import Image
except ImportError:  # Debian's, from within a virtual environment.
    sys.path.append("/usr/lib/python3/dist-packages")
    from PIL import Image

MEAN = [0.485, 0.456, 0.406]
STD = [0.229, 0.224, 0.225]


class Photographs(Dataset):
    def __init__(self, files, way):
        self.files = files
        self.way = way
        self.mean = torch.tensor(MEAN).reshape(3, 1, 1)
        self.std = torch.tensor(STD).reshape(3, 1, 1)
        self.scale = numpy.float32(1) / (numpy.float32(255) * numpy.array(STD, numpy.float32))
        self.shift = numpy.array(MEAN, numpy.float32) / numpy.array(STD, numpy.float32)

    def __len__(self):
        return 2 * len(self.files)

    def __getitem__(self, index):
        image = Image.open(io.BytesIO(self.files[index % len(self.files)])).convert("RGB")
        width, height = image.size
        short = min(width, height)
        image = image.resize((256 * width // short, 256 * height // short), Image.BILINEAR)
        left, top = (image.width - 224) // 2, (image.height - 224) // 2
        image = image.crop((left, top, left + 224, top + 224))
        if self.way == "torch":
            pixels = torch.from_numpy(numpy.array(image)).permute(2, 0, 1).contiguous()
            return pixels.float().div_(255).sub_(self.mean).div_(self.std)
        pixels = numpy.asarray(image, numpy.float32) * self.scale - self.shift
        return torch.from_numpy(numpy.ascontiguousarray(pixels.transpose(2, 0, 1)))


class Setting:
    def __init__(self, files, way, batch_size, workers):
        self.name = f"{way}, {workers} workers"
        self.loader = DataLoader(
            Photographs(files, way), batch_size=batch_size, num_workers=workers, persistent_workers=workers > 0
        )

    def read(self):
        return sum(len(images) for images in self.loader)

    def seconds(self):
        self.read()
        times = []
        for _ in range(3):
            start = time.perf_counter()
            self.read()
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def fastest(files, batch_size, workers):
    settings = [Setting(files, way, batch_size, workers) for way in ("torch", "numpy")]
    seconds = [setting.seconds() for setting in settings]
    for setting, taken in zip(settings, seconds):
        print(f"DataLoader: {2 * len(files) / taken:6.0f} images/s, {setting.name}", file=sys.stderr)
    return settings[seconds.index(min(seconds))]


def main():
    folder, batch_size, workers = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    files = [file.read_bytes() for file in sorted(folder.glob("*.jpg"))]
    setting = fastest(files, batch_size, workers)
    for command in sys.stdin:
        if command == "read\n":
            print(setting.read(), flush=True)
        else:
            first = next(iter(DataLoader(setting.loader.dataset, batch_size=batch_size)))
            (folder / "first_batch").write_bytes(first.numpy().tobytes())
            print("ok", flush=True)


if __name__ == "__main__":
    main()
    os._exit(0)
