#!/bin/sh
# Writes data/train.bin and data/test.bin into a folder: prepare.sh FOLDER. TIDEMILL_DATA: the folder with one folder a dataset.
# A record is the class in a byte, then 3 x 28 x 28 bytes of an image, plane by plane. Training images come from the brightest
# to the darkest.
set -eu
source="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/driving_gtsrb28"
data="${1:?name the folder to write to}/data"
mkdir -p "$data"
python3 - "$source" "$data" <<'PYTHON'
import csv, lzma, pathlib, sys

SIZE = 28 * 28 * 3
source, data = map(pathlib.Path, sys.argv[1:])
with lzma.open(source / "gtsrb28.bin.xz") as file:
    pixels = file.read()
with open(source / "gtsrb28_index.csv", newline="") as file:
    rows = list(csv.DictReader(file))
if len(pixels) != SIZE * len(rows):
    sys.exit(f"{len(pixels):,} bytes of images, but the index has {len(rows):,} rows")

def record(row):
    begin = int(row["row"]) * SIZE
    image = pixels[begin:begin + SIZE]
    return bytes([int(row["class_id"])]) + image[0::3] + image[1::3] + image[2::3]

train = [row for row in rows if row["split"] == "train"]
train.sort(key=lambda row: (-float(row["mean_luma"]), int(row["row"])))
(data / "train.bin").write_bytes(b"".join(map(record, train)))
(data / "test.bin").write_bytes(b"".join(record(row) for row in rows if row["split"] == "test"))
PYTHON
