#!/usr/bin/env python3
"""Writes a feed for pipelines/live: every tenth of a second a line, a second of event time after the one before.

usage: generate.py [--seconds 60] [--folder data]

The boundary between the classes turns with time. Lines are a little out of order, one in fifty is
late by minutes, and every ten seconds a new file begins.
"""
import argparse
import datetime
import math
import pathlib
import random
import time


def line(number, start, draw):
    behind = draw.uniform(120, 300) if draw.random() < 0.02 else draw.uniform(0, 3)
    at = start + datetime.timedelta(seconds=number - behind)
    x, y = draw.uniform(-1, 1), draw.uniform(-1, 1)
    turn = number / 300
    up = x * math.cos(turn) + y * math.sin(turn) > 0
    stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{stamp},{x:.4f},{y:.4f},{'UP' if up else 'DOWN'}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--folder", default=str(pathlib.Path(__file__).parent / "data"))
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    draw = random.Random(1)
    for number in range(int(options.seconds * 10)):
        name = f"{start:%Y%m%dT%H%M%S}_{number // 100:04}.csv"
        with open(folder / name, "a", encoding="utf-8") as out:
            out.write(line(number, start, draw))
        time.sleep(0.1)


if __name__ == "__main__":
    main()
