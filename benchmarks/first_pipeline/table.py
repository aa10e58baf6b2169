"""A table as a person knows it who has looked at it: what its files hold, and what each column means.

Functions of real_tables.py and made_tables.py write the files that `tidemill init` reads, and return such a Table. Rows are those of the files, file
after file. The reference models see the columns below and not the files.
"""
import csv
import dataclasses
import os
import pathlib
import struct
import zlib

import numpy as np

FIRST_IMAGE = 1_672_531_200  # 2023-01-01


@dataclasses.dataclass
class Table:
    path: pathlib.Path  # what `tidemill init` is given
    target: np.ndarray  # texts of classes, or numbers; "" or NaN: not known
    firsts: dict  # the first row of each file, by its name below `path`
    label: str = ""  # what `--label` says; "": left to `init`
    numbers: dict = dataclasses.field(default_factory=dict)
    categories: dict = dataclasses.field(default_factory=dict)
    texts: dict = dataclasses.field(default_factory=dict)
    pixels: np.ndarray = None
    times: np.ndarray = None  # seconds since 1970; None: the records have none

    def size(self):
        return len(self.target)


def write_csv(path, names, rows, delimiter=",", before=()):
    """Writes a CSV file; `before`: lines in front of its header."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        for line in before:
            file.write(line + "\n")
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def numbers_of(texts):
    """The numbers of texts; what is none is NaN."""
    return np.array([to_number(text) for text in texts])


def to_number(text):
    try:
        return float(text)
    except ValueError:
        return np.nan


def seconds_of(texts):
    """Seconds since 1970 of times such as 2013-01-01T10:00:00, with or without a Z."""
    return np.array([text.rstrip("Z") for text in texts], dtype="datetime64[s]").astype(np.int64).astype(float)


def write_png(path, pixels):
    """Writes an image of [height, width] or [height, width, 3] bytes."""
    height, width = pixels.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))


def write_images(folder, pixels, classes):
    """Writes one image after the other as CLASS/NUMBER.png, one an hour; returns where each is, as Table.firsts wants it."""
    firsts = {}
    for row, (image, name) in enumerate(zip(pixels, classes)):
        place = folder / str(name) / f"{row:06d}.png"
        place.parent.mkdir(exist_ok=True)
        write_png(place, image)
        os.utime(place, (FIRST_IMAGE + 3600 * row,) * 2)
        firsts[str(place.relative_to(folder))] = row
    return firsts
