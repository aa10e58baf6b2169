"""What was measured: files of benchmarks/results, and what `tidemill bench report` computes from them."""
import collections
import json
import math
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"


class Results:
    """A folder of results, and the build folder with the program that reports them."""

    def __init__(self, folder, build):
        self.folder, self.build, self.reports = folder, build, {}

    def load(self, name):
        """What a file of JSON holds; nothing where it is missing."""
        file = self.folder / name
        return json.loads(file.read_text()) if file.exists() else []

    def lines(self, suite):
        """Pairs of a file's name and a result that `tidemill bench run` has kept."""
        return [(file.name, json.loads(line)) for file in sorted((self.folder / suite).glob("*.jsonl")) for line in file.read_text().splitlines()]

    def report(self, suite, folder=None):
        """The entries of a suite, or of the part of its results that is in another folder."""
        key = suite, folder
        if key not in self.reports:
            self.reports[key] = self.read_report(suite, folder)
        return self.reports[key]

    def read_report(self, suite, folder):
        """Exit code 1 says that a check does not hold, which pages show."""
        command = [self.build / "bin" / "tidemill", "bench", "report", "--suite", BENCHMARKS / suite, "--results", folder or self.folder / suite, "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"tidemill bench report ended with {done.returncode}")
        return json.loads(done.stdout)["entries"]

    def cores(self, lines, noun="cores"):
        found = sorted({result["machine"]["cores"] for result in lines})
        return "a machine with " + " or ".join(map(str, found)) + " " + noun


def counted(number_of, noun):
    return f"{number_of} {noun}" + ("" if number_of == 1 else "s")


def ordinal(number):
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def ratio(result):
    """Of turns: the median, the least and the greatest."""
    return f"{result['ratio']:.2f} ({result['min']:.2f} to {result['max']:.2f})"


def spread(values, form):
    """The mean, and in brackets the least and the greatest where they are not the same."""
    mean, low, high = (form.format(value) for value in (statistics.mean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def standard_error(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def table(heads, rows):
    """In Markdown. `heads` are the cells of the first line."""
    line = lambda cells: "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|\n"
    return line(heads) + "|" + "---|" * len(heads) + "\n" + "".join(map(line, rows))


def grouped(items, key):
    """{key: its items}, in the order in which keys come first."""
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)
