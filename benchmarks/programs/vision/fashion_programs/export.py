#!/usr/bin/env python3
"""Writes network.pt into a folder, the network of convnet.py for the loop of Tidemill: export.py FOLDER."""
import pathlib
import sys

import torch

import tidemill
from convnet import Network

torch.manual_seed(42)
tidemill.export(Network(), torch.zeros(2, 1, 28, 28), pathlib.Path(sys.argv[1]) / "network.pt")
