"""The data that all loaders read, and whether what they delivered is right.

Criteo-like records have 160 bytes: a label, 13 float32 numbers and 26 int32 categories. Numbers are multiples of
2^-20 in [0, 1), so that they can be told from their logarithms. Photographs are JPEG files of 500 x 375 pixels; the
label of file n is n. A file with what was delivered has a batch after the other: the number of samples, their
labels, and numbers and categories, or every fourth pixel of every fourth line.
"""
import io
import pathlib

import numpy

NUMBERS = 13
CATEGORIES = 26
BUCKET_BITS = 18
RECORD = numpy.dtype([("label", "<i4"), ("numbers", "<f4", (NUMBERS,)), ("categories", "<i4", (CATEGORIES,))])
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
# The hash of peers: the high bits of a product, as cheap as a hash can be.
FACTOR = 0x9E3779B97F4A7C15
CHECKED_SIDE = 56


def make_records(folder, count):
    """Writes records.bin, unless it is there with as many records."""
    file = pathlib.Path(folder) / "records.bin"
    if file.exists() and file.stat().st_size == count * RECORD.itemsize:
        return
    random = numpy.random.default_rng(count)
    records = numpy.empty(count, RECORD)
    records["label"] = random.random(count) < 0.25
    records["numbers"] = random.integers(0, 1 << 20, (count, NUMBERS)).astype(numpy.float32) * numpy.float32(2**-20)
    records["categories"] = random.integers(0, 1 << 20, (count, CATEGORIES))
    file.parent.mkdir(parents=True, exist_ok=True)
    records.tofile(file)


def make_photograph(number):
    """Octaves of noise and shapes with hard edges, as costly to decode as photographs are."""
    from PIL import Image, ImageDraw
    random = numpy.random.default_rng(number)
    pixels = numpy.full((375, 500, 3), 128.0)
    for side, contrast in ((4, 60), (12, 40), (40, 25), (120, 16), (375, 9)):
        for channels, share in ((slice(0, 3), 1.0), (slice(number % 3, number % 3 + 1), 0.5)):
            noise = Image.fromarray(random.normal(size=(side, side * 4 // 3)).astype(numpy.float32))
            pixels[:, :, channels] += contrast * share * numpy.asarray(noise.resize((500, 375), Image.BICUBIC))[:, :, None]
    image = Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8))
    drawing = ImageDraw.Draw(image)
    for _ in range(12):
        x, y, w, h = (int(value) for value in random.integers((0, 0, 20, 20), (450, 340, 160, 120)))
        drawing.ellipse((x, y, x + w, y + h), fill=tuple(int(value) for value in random.integers(0, 256, 3)))
    file = io.BytesIO()
    image.save(file, "jpeg", quality=90)
    return file.getvalue()


def make_photographs(folder, count, contents):
    """Writes 0000.jpg ... and their labels beside them. They are slow to make: file n has the content of file
    n - contents."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(len(list(folder.glob("*.number"))), count):
        same = folder / f"{number % contents:04}.jpg"
        encoded = make_photograph(number) if number < contents else same.read_bytes()
        (folder / f"{number:04}.jpg").write_bytes(encoded)
        (folder / f"{number:04}.number").write_text(f"{number}\n")


def read_records(folder):
    return numpy.fromfile(pathlib.Path(folder) / "records.bin", RECORD)


def product_hash(categories):
    """The peers' bucket of each category."""
    return (categories.astype(numpy.uint64) * numpy.uint64(FACTOR)) >> numpy.uint64(64 - BUCKET_BITS)


def xxh3_hash(categories):
    """Tidemill's bucket: XXH3 of the eight bytes of each category, without a seed."""
    words = categories.astype(numpy.uint64)
    swapped = (words << numpy.uint64(32)) | (words >> numpy.uint64(32))
    mixed = swapped ^ numpy.uint64(0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE)
    rotated = [(mixed << numpy.uint64(by)) | (mixed >> numpy.uint64(64 - by)) for by in (49, 24)]
    mixed = (mixed ^ rotated[0] ^ rotated[1]) * numpy.uint64(0x9FB21C651E98DF25)
    mixed ^= (mixed >> numpy.uint64(35)) + numpy.uint64(8)
    mixed *= numpy.uint64(0x9FB21C651E98DF25)
    mixed ^= mixed >> numpy.uint64(28)
    return mixed & numpy.uint64((1 << BUCKET_BITS) - 1)


def signatures(labels, counts, buckets):
    """A number for each record, made of all it holds."""
    random = numpy.random.default_rng(7)
    factors = random.integers(1, 1 << 63, 1 + NUMBERS + CATEGORIES, dtype=numpy.uint64) | numpy.uint64(1)
    mixed = labels.astype(numpy.uint64) * factors[0]
    for column in range(NUMBERS):
        mixed ^= counts[:, column].astype(numpy.uint64) * factors[1 + column]
        mixed = (mixed << numpy.uint64(7)) | (mixed >> numpy.uint64(57))
    for column in range(CATEGORIES):
        mixed ^= buckets[:, column].astype(numpy.uint64) * factors[1 + NUMBERS + column]
        mixed = (mixed << numpy.uint64(7)) | (mixed >> numpy.uint64(57))
    return mixed


class DeliveredRecords:
    """Compares delivered records with the file's."""

    def __init__(self, folder, bucket_of):
        records = read_records(folder)
        counts = numpy.rint(records["numbers"] * 2.0**20)
        own = signatures(records["label"], counts, bucket_of(records["categories"]))
        self.order = numpy.argsort(own)
        self.sorted = own[self.order]
        if (self.sorted[1:] == self.sorted[:-1]).any():
            raise ValueError("two records have one signature")

    def rows(self, file):
        """The row numbers of what a file holds, in its order. A record that was never there is an error."""
        rows = []
        with open(file, "rb") as source:
            while head := source.read(8):
                count = int(numpy.frombuffer(head, numpy.int64)[0])
                labels = numpy.frombuffer(source.read(8 * count), numpy.int64)
                numbers = numpy.frombuffer(source.read(4 * NUMBERS * count), numpy.float32).reshape(count, NUMBERS)
                buckets = numpy.frombuffer(source.read(8 * CATEGORIES * count), numpy.int64).reshape(count, CATEGORIES)
                counts = numpy.expm1(numbers.astype(numpy.float64)) * 2.0**20
                if numpy.abs(counts - numpy.rint(counts)).max() > 0.2:
                    raise ValueError("a number is not the logarithm of one plus a record's number")
                wanted = signatures(labels, numpy.rint(counts), buckets)
                at = numpy.minimum(numpy.searchsorted(self.sorted, wanted), len(self.sorted) - 1)
                if (self.sorted[at] != wanted).any():
                    raise ValueError("a record was delivered that is not in the file")
                rows.append(self.order[at])
        return numpy.concatenate(rows)

    def check(self, file, share):
        """Every record once, or a share of them, each at most once. Returns how far records went from their place:
        in an order that is fully random a third of the file on average."""
        rows = self.rows(file)
        total = len(self.sorted)
        if len(numpy.unique(rows)) != len(rows):
            raise ValueError("a record was delivered twice")
        slack = 0 if share == 1 else 6 * (total * share * (1 - share)) ** 0.5
        if abs(len(rows) - share * total) > slack + 1:
            raise ValueError(f"{len(rows)} records were delivered of {total}, a share of {share} was asked for")
        return float(numpy.abs(numpy.arange(len(rows)) / len(rows) - rows / total).mean())


def photograph_as_delivered(encoded):
    """What a loader should make of a file: the middle 224 x 224 of 341 x 256, normalised."""
    from PIL import Image
    image = Image.open(io.BytesIO(encoded)).convert("RGB")
    image = image.resize((256 * image.width // image.height, 256), Image.BILINEAR)
    left, top = (image.width - 224) // 2, (image.height - 224) // 2
    pixels = numpy.asarray(image.crop((left, top, left + 224, top + 224)), numpy.float32) / 255
    return ((pixels - numpy.float32(MEAN)) / numpy.float32(STD)).transpose(2, 0, 1)


class DeliveredPhotographs:
    """Compares delivered photographs with Pillow's. Decoders and filters differ by a few levels of 255."""

    MOST = 4.0  # On average over a photograph.

    def __init__(self, folder, _):
        contents = {}
        files = sorted(pathlib.Path(folder).glob("*.jpg"))
        self.content_of = numpy.array([contents.setdefault(file.read_bytes(), len(contents)) for file in files])
        self.wanted = numpy.stack([photograph_as_delivered(encoded)[:, ::4, ::4] for encoded in contents])

    def check(self, file, share):
        labels = []
        scale = 255 * numpy.float32(STD)[:, None, None]
        with open(file, "rb") as source:
            while head := source.read(8):
                count = int(numpy.frombuffer(head, numpy.int64)[0])
                labels.append(numpy.frombuffer(source.read(8 * count), numpy.int64))
                shape = (count, 3, CHECKED_SIDE, CHECKED_SIDE)
                pixels = numpy.frombuffer(source.read(4 * int(numpy.prod(shape))), numpy.float32).reshape(shape)
                off = (numpy.abs(pixels - self.wanted[self.content_of[labels[-1]]]) * scale).mean(axis=(1, 2, 3))
                if not off.max() <= self.MOST:
                    raise ValueError(f"photograph {labels[-1][off.argmax()]} is {off.max():.1f} levels of 255 off")
        rows = numpy.concatenate(labels)
        total = len(self.content_of)
        if share != 1 or len(rows) != total or len(numpy.unique(rows)) != total:
            raise ValueError(f"{len(numpy.unique(rows))} of {total} photographs were delivered, {len(rows)} in all")
        return float(numpy.abs(numpy.arange(total) / total - rows / total).mean())
