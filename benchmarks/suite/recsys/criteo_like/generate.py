#!/usr/bin/env python3
"""Writes made samples in the layout of Criteo's click logs: generate.py FILE [SAMPLES] [--judge [WINDOW]].

A line has a label, 13 integers and 26 categories (8 hex digits), between tabs; a field may be empty. Categories are drawn by
Zipf's law from vocabularies of 3 to 1,000,000. The label follows from hidden weights of a few of them, which change slowly along
the file. Nothing here is of a person: only the shape is Criteo's. The same numbers of samples give the same bytes.

--judge: also prints what is possible on each window of WINDOW samples (10,000) but the first: the AUC of the true probabilities,
which no model can know, and of a logistic regression that knows which columns matter, trained on all windows before, once
(FTRL, McMahan et al. 2013; settings chosen on the first third). Then the mean of the windows.
"""
import math
import pathlib
import random
import sys

VOCABULARIES = [1000, 500, 1000000, 200000, 300, 20, 10000, 600, 3, 40000, 5000, 900000, 3000, 26, 8000, 700000, 10, 4000,
                2000, 4, 800000, 15, 15, 60000, 80, 30000]
GAPS = [.45, 0, .2, .2, .03, .2, .04, 0, .04, .45, .04, .75, .2]   # of the integers, as in the published sample
CATEGORY_GAP = .03
WEIGHTED = 3                                                       # every third category has weights
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
    """The fields of a line, and the probability of its label being 1. at: how far along the file, from 0 to 1."""
    score = -1.6
    integers, categories = [], []
    for i, gap in enumerate(GAPS):
        value = int(math.exp(draw.gauss(1.5, 1.3)))
        score += .1 * math.log1p(value) * weight(100 + i, 0)
        integers.append("" if draw.random() < gap else str(value))
    for column, size in enumerate(VOCABULARIES):
        rank = int(size ** draw.random()) - 1                    # log-uniform, which is Zipf's law with exponent 1
        if column % WEIGHTED == 0:
            score += .7 * ((1 - at) * weight(column, rank) + at * weight(200 + column, rank))
        categories.append("" if draw.random() < CATEGORY_GAP else f"{mixed(column << 32 | rank) >> 32:08x}")
    probability = 1 / (1 + math.exp(-score))
    clicked = draw.random() < probability
    return ["1" if clicked else "0", *integers, *categories], probability


class Regression:
    """Logistic regression over the integers and the categories that matter, one step a sample."""
    ALPHA, BETA = .2, 1

    def __init__(self):
        self.z, self.n = {}, {}

    def weight(self, name):
        return -self.z.get(name, 0) * self.ALPHA / (self.BETA + math.sqrt(self.n.get(name, 0)))

    def features(self, fields):
        found = {"": 1.}
        for i, text in enumerate(fields[1:1 + len(GAPS)]):
            found[i] = math.log1p(int(text)) - 1.5 if text else 0.
        for column in range(0, len(VOCABULARIES), WEIGHTED):
            found[column, fields[1 + len(GAPS) + column]] = 1.
        return found

    def predict(self, features):
        score = sum(self.weight(name) * value for name, value in features.items())
        return 1 / (1 + math.exp(-score))

    def learn(self, fields):
        features = self.features(fields)
        error = self.predict(features) - int(fields[0])
        for name, value in features.items():
            slope, seen = error * value, self.n.get(name, 0)
            step = (math.sqrt(seen + slope * slope) - math.sqrt(seen)) / self.ALPHA
            self.z[name] = self.z.get(name, 0) + slope - step * self.weight(name)
            self.n[name] = seen + slope * slope


def auc(scores, labels):
    """Equal scores count half."""
    ordered = sorted(zip(scores, labels))
    ones = sum(labels)
    below, area, at = 0, 0., 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        hits = sum(label for _, label in ordered[at:end])
        misses = end - at - hits
        area += hits * (below + misses / 2)
        below, at = below + misses, end
    return area / (ones * (len(ordered) - ones))


def judge(made, window):
    regression, rows = Regression(), []
    for begin in range(0, len(made) - window + 1, window):
        part = made[begin:begin + window]
        if begin:
            labels = [int(fields[0]) for fields, _ in part]
            known = [regression.predict(regression.features(fields)) for fields, _ in part]
            rows.append((auc([probability for _, probability in part], labels), auc(known, labels)))
            print(f"samples {begin + 1:,} to {begin + window:,}: true probabilities {rows[-1][0]:.4f}, "
                  f"regression on the columns that matter {rows[-1][1]:.4f}")
        for fields, _ in part:
            regression.learn(fields)
    means = [sum(row[k] for row in rows) / len(rows) for k in (0, 1)]
    print(f"mean: true probabilities {means[0]:.4f}, regression on the columns that matter {means[1]:.4f}")


def main():
    arguments = sys.argv[1:]
    window = None
    if "--judge" in arguments:
        at = arguments.index("--judge")
        window = int(arguments[at + 1]) if len(arguments) > at + 1 else 10000
        del arguments[at:]
    target = pathlib.Path(arguments[0])
    samples = int(arguments[1]) if len(arguments) > 1 else 40000
    draw = random.Random(7)
    made = []
    with target.open("w", newline="\n") as file:
        for i in range(samples):
            fields, probability = sample(draw, i / samples)
            file.write("\t".join(fields) + "\n")
            if window:
                made.append((fields, probability))
    if window:
        judge(made, window)


if __name__ == "__main__":
    main()
