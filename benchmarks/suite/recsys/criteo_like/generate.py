#!/usr/bin/env python3
"""Writes made samples in the layout of Criteo's click logs: generate.py FILE [SAMPLES].

A line has a label, 13 integers and 26 categories (8 hex digits), between tabs; a field may be empty. Categories are drawn by
Zipf's law from vocabularies of 3 to 1,000,000. The label follows from hidden weights of a few of them, which change slowly along
the file. Nothing here is of a person: only the shape is Criteo's. The same numbers of samples give the same bytes.
"""
import math
import pathlib
import random
import sys

VOCABULARIES = [1000, 500, 1000000, 200000, 300, 20, 10000, 600, 3, 40000, 5000, 900000, 3000, 26, 8000, 700000, 10, 4000,
                2000, 4, 800000, 15, 15, 60000, 80, 30000]
GAPS = [.45, 0, .2, .2, .03, .2, .04, 0, .04, .45, .04, .75, .2]   # of the integers, as in the published sample
CATEGORY_GAP = .03
MASK = (1 << 64) - 1


def mixed(value):
    """A hash of 64 bits (splitmix64's last step)."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def weight(column, rank):
    """The hidden weight of a category, in [-1, 1]."""
    return mixed(column * 1000003 + rank + 1) / (1 << 63) - 1


def sample(draw, at):
    """A line. at: how far along the file, from 0 to 1."""
    score = -1.6
    integers, categories = [], []
    for i, gap in enumerate(GAPS):
        value = int(math.exp(draw.gauss(1.5, 1.3)))
        score += .1 * math.log1p(value) * weight(100 + i, 0)
        integers.append("" if draw.random() < gap else str(value))
    for column, size in enumerate(VOCABULARIES):
        rank = int(size ** draw.random()) - 1                    # log-uniform, which is Zipf's law with exponent 1
        if column % 3 == 0:
            score += .7 * ((1 - at) * weight(column, rank) + at * weight(200 + column, rank))
        categories.append("" if draw.random() < CATEGORY_GAP else f"{mixed(column << 32 | rank) >> 32:08x}")
    clicked = draw.random() < 1 / (1 + math.exp(-score))
    return "\t".join(["1" if clicked else "0", *integers, *categories])


def main():
    target = pathlib.Path(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 40000
    draw = random.Random(7)
    with target.open("w", newline="\n") as file:
        for i in range(samples):
            file.write(sample(draw, i / samples) + "\n")


if __name__ == "__main__":
    main()
