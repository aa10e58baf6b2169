"""From records to tensors in PyTorch and numpy, as fast as they do it."""
import io

import numpy
import torch

import data

RECORD_BYTES = data.RECORD.itemsize
MASK = (1 << data.BUCKET_BITS) - 1
FACTOR = data.FACTOR - (1 << 64)


def map_records(folder):
    """The file of records as a tensor of its bytes, mapped: row n is record n."""
    file = str(folder / "records.bin")
    return torch.from_numpy(numpy.memmap(file, numpy.uint8, "c").reshape(-1, RECORD_BYTES))


def records_to_batch(records):
    """A batch of records: label, logarithms, buckets. `records` is [n, 160] uint8."""
    words = records.view(torch.int32)
    categories = words[:, 1 + data.NUMBERS:].long()
    categories.mul_(FACTOR).bitwise_right_shift_(64 - data.BUCKET_BITS).bitwise_and_(MASK)
    return words[:, 0].long(), records.view(torch.float32)[:, 1:1 + data.NUMBERS].log1p(), categories


def bytes_to_sample(record):
    """The same of the bytes of one record, in numpy."""
    fields = numpy.frombuffer(record, data.RECORD)[0]
    return (numpy.int64(fields["label"]), numpy.log1p(fields["numbers"]),
            data.product_hash(fields["categories"]).astype(numpy.int64))


def bytes_to_batch(records):
    """The same of the bytes of many records, one after another, writable."""
    return records_to_batch(torch.from_numpy(numpy.frombuffer(records, numpy.uint8).reshape(-1, RECORD_BYTES)))


MEAN = torch.tensor(data.MEAN).reshape(3, 1, 1) * 255
SCALE = 1 / (torch.tensor(data.STD).reshape(3, 1, 1) * 255)


def pillow_photograph(encoded):
    from PIL import Image
    image = Image.open(io.BytesIO(encoded)).convert("RGB")
    short = min(image.width, image.height)
    image = image.resize((256 * image.width // short, 256 * image.height // short), Image.BILINEAR)
    left, top = (image.width - 224) // 2, (image.height - 224) // 2
    pixels = torch.from_numpy(numpy.array(image.crop((left, top, left + 224, top + 224))))
    return pixels.permute(2, 0, 1).contiguous().float().sub_(MEAN).mul_(SCALE)


def turbo_photograph(encoded):
    """libjpeg-turbo and torch's resampling of bytes, both with SIMD."""
    import simplejpeg
    image = torch.from_numpy(simplejpeg.decode_jpeg(encoded)).permute(2, 0, 1)[None]
    short = min(image.shape[2:])
    sides = [256 * side // short for side in image.shape[2:]]
    image = torch.nn.functional.interpolate(image, sides, mode="bilinear", antialias=True)[0]
    top, left = (sides[0] - 224) // 2, (sides[1] - 224) // 2
    pixels = image[:, top:top + 224, left:left + 224].to(torch.float32, memory_format=torch.contiguous_format)
    return pixels.sub_(MEAN).mul_(SCALE)


PHOTOGRAPH = {"pillow": pillow_photograph, "turbo": turbo_photograph}


def files_of(folder):
    return sorted(folder.glob("*.jpg"))


def rows_of_epoch(workload, num_rows, seed):
    """The rows that an epoch visits, in random order: all, or its own tenth."""
    rows = numpy.random.default_rng(seed).permutation(num_rows)
    return rows[:num_rows // 10] if workload == "tenth" else rows
