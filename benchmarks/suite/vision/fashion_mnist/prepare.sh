#!/bin/sh
# Writes data/classes.bin into a folder: prepare.sh FOLDER. TIDEMILL_DATA: the folder with one folder a dataset.
# The made shift: training images whose classes come in five parts, two classes in each part nine times as often as by chance.
# A record is the class in a byte, then 28 x 28 bytes of an image.
set -eu
source="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/vision_fashion_mnist"
data="${1:?name the folder to write to}/data"
mkdir -p "$data"
python3 - "$source" "$data" <<'PYTHON'
import gzip, pathlib, random, sys

SIZE, PARTS = 28 * 28, 5
source, data = map(pathlib.Path, sys.argv[1:])
images = gzip.decompress((source / "train-images-idx3-ubyte.gz").read_bytes())[16:]
labels = gzip.decompress((source / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
draw = random.Random(7)
parts = [[] for _ in range(PARTS)]
for i, label in enumerate(labels):
    own = label // 2                            # the part of these two classes
    part = own if draw.random() < .69 else draw.choice([p for p in range(PARTS) if p != own])
    parts[part].append(i)
with (data / "classes.bin").open("wb") as file:
    for part in parts:
        for i in part:
            file.write(labels[i:i + 1] + images[i * SIZE:(i + 1) * SIZE])
PYTHON
