"""Maximum mean discrepancy with permutations in numpy: all splits by one product of matrices.

mmd_vs_numpy.py FILE ROWS COLUMNS PERMUTATIONS
FILE holds two windows of ROWS rows of float64. For each line of standard input, prints the squared
distance and the p-value.
"""
import sys

import numpy


def squared_distances(rows):
    norms = (rows * rows).sum(1)
    return numpy.maximum(norms[:, None] + norms[None, :] - 2 * rows @ rows.T, 0)


def median_width(rows, random):
    some = rows[random.choice(len(rows), min(1000, len(rows)), replace=False)]
    squares = squared_distances(some)[numpy.triu_indices(len(some), 1)]
    return numpy.sqrt(numpy.median(squares) / 2)


def distance(within, degrees, size, rows, total):
    """From sums within the first part, from it to any row, and over all pairs."""
    across = degrees - within
    outside = total - 2 * degrees + within
    other = rows - size
    return within / (size * (size - 1)) + outside / (other * (other - 1)) - 2 * across / (size * other)


def test(rows, size, permutations, width, random):
    kernel = numpy.exp(-squared_distances(rows) / (2 * width * width))
    numpy.fill_diagonal(kernel, 0)
    first = numpy.zeros((len(rows), permutations + 1))
    first[:size, 0] = 1
    for split in range(1, permutations + 1):
        first[random.permutation(len(rows))[:size], split] = 1
    within = (first * (kernel @ first)).sum(0)
    squared = distance(within, first.T @ kernel.sum(1), size, len(rows), kernel.sum())
    return squared[0], (1 + (squared[1:] >= squared[0]).sum()) / (permutations + 1)


def main():
    path, size, columns, permutations = sys.argv[1], *map(int, sys.argv[2:])
    rows = numpy.fromfile(path).reshape(2 * size, columns)
    random = numpy.random.default_rng(1)
    for line in sys.stdin:
        # A width that is given makes the distances comparable.
        width = float(line) or median_width(rows, random)
        print(*test(rows, size, permutations, width, random), flush=True)


main()
