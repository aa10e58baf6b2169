"""Selection plug-ins for tests: a built-in policy, one that looks at everything, and one that does wrong."""
import math
import os
import time

import numpy as np
from tidemill import plugin


class UniformShare(plugin.Selection):
    """The built-in policy `uniform`, as a plug-in."""

    version = "1.0"
    unbiased = True
    fraction = plugin.Number(0.1, min=0, max=1, doc="Share of the candidates.")

    def __init__(self):
        self.seen = 0
        self.bound = 2**64 - 1
        self.kept = []

    def wanted(self, num_candidates):
        return min(max(math.floor(self.fraction * num_candidates + 0.5), 1), num_candidates)

    def add(self, block):
        keys = block["key"]
        lots = self.lots(keys)
        first, self.seen = self.seen, self.seen + len(keys)
        # A lot far above the share of lots that are drawn cannot be among them.
        wanted = self.wanted(self.seen)
        share = (wanted + 12 * math.sqrt(wanted) + 64) / self.seen
        if share < 1:
            self.bound = min(self.bound, int(share * 2**64))
        kept = np.flatnonzero(lots <= np.uint64(self.bound))
        self.kept.append((kept + first, lots[kept], keys[kept]))

    def choose(self, num_candidates):
        rows, lots, keys = (np.concatenate(column) for column in zip(*self.kept))
        wanted = self.wanted(num_candidates)
        if wanted == len(rows):
            return rows
        last = np.partition(lots, wanted - 1)[wanted - 1]
        chosen = lots < last
        tied = np.flatnonzero(lots == last)
        chosen[tied[np.argsort(keys[tied])][:wanted - np.count_nonzero(chosen)]] = True
        return rows[chosen]


class Facts(plugin.Selection):
    """Chooses by everything that a policy can look at, partly in `add`, with weights."""

    def __init__(self):
        self.seen = 0

    def looks_at(self):
        return ["event_times", "labels", "embeddings", "predictions", "column:price", "column:size"]

    def add(self, block):
        sums = (block["event_times"] % 7 + block["labels"] + block["embeddings"].sum(axis=1)
                + block["predictions"].sum(axis=1) + block["column:price"] + 2 * block["column:size"])
        rows = np.flatnonzero(sums.astype(np.int64) % 3 == 0)
        first, self.seen = self.seen, self.seen + len(sums)
        return plugin.Chosen(rows + first, sums[rows].astype(np.float32))

    def choose(self, num_candidates):
        return []


class FaultyChoice(plugin.Selection):
    """Does wrong."""

    how = plugin.Text("throw", doc="What it does wrong.")

    def __init__(self):
        self.seen = 0

    def add(self, block):
        self.seen += block.num_rows
        if self.how == "throw":
            raise RuntimeError("thrown on purpose")
        if self.how == "exit":
            os._exit(3)
        if self.how == "loop":
            time.sleep(60)
        return None

    def choose(self, num_candidates):
        if self.how == "throw_late":
            raise RuntimeError("thrown on purpose")
        if self.how == "descending":
            return [2, 1]
        if self.how == "beyond":
            return [num_candidates]
        if self.how == "negative_row":
            return [-1]
        if self.how == "negative_weight":
            return plugin.Chosen([0, 1], [1, -1])
        if self.how == "no_weight":
            return plugin.Chosen([0, 1], [0, 0])
        if self.how == "not_finite":
            return plugin.Chosen([0, 1], [1, float("inf")])
        if self.how == "some_weights":
            return iter([plugin.Chosen([0], [1.5]), plugin.Chosen([1])])
        if self.how == "target":
            return range(self.target)
        return []
