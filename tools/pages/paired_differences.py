"""Differences of two policies over the same seeds, with their intervals. For benchmarks.py."""
import math
import statistics

# Quantiles of Student's t at 97.5 %, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
# Values that are equal may differ by this much.
ROUNDING = 1e-9


class PairedDifference:
    """The mean of what one has more than the other, seed by seed, and its 95 % interval. Each is {seed: value}."""

    def __init__(self, own, other):
        values = [value - other[seed] for seed, value in own.items() if seed in other]
        self.mean = statistics.mean(values)
        self.half = None
        if len(values) > 1:
            self.half = STUDENT[min(len(values) - 1, max(STUDENT))] * statistics.stdev(values) / math.sqrt(len(values))

    def clear(self):
        """Whether the interval leaves out 0."""
        return self.half is not None and abs(self.mean) > self.half + ROUNDING

    def verdict(self):
        return "not tested" if self.half is None else "clear" if self.clear() else "within chance"

    def __str__(self):
        if self.half is None:
            return f"{self.mean:+.4f}"
        return f"{self.mean:+.4f} ({self.mean - self.half:+.4f} to {self.mean + self.half:+.4f})"


def regret_difference(regrets, price, policy, other):
    """What a policy costs more than another at a price. regrets: {seed: {(policy, price): regret}}."""
    def of(name):
        return {seed: own[name, price] for seed, own in regrets.items() if (name, price) in own}
    return PairedDifference(of(policy), of(other))


class Record:
    """How a policy did beside a yardstick, over all entries and prices. regrets: {entry: {seed: {(policy, price): regret}}}."""

    def __init__(self, regrets, policy, yardstick):
        pairs = sorted({(entry, price) for entry, seeds in regrets.items() for own in seeds.values() for name, price in own if name == policy})
        self.differences = [regret_difference(regrets[entry], price, policy, yardstick) for entry, price in pairs]
        self.mean = statistics.mean(difference.mean for difference in self.differences)

    def better(self):
        return sum(difference.clear() and difference.mean < 0 for difference in self.differences)

    def worse(self):
        return sum(difference.clear() and difference.mean > 0 for difference in self.differences)
