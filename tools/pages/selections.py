"""docs/selections.md: selection and downsampling, by what they cost and what they are worth."""
import math
import statistics

import comparisons
import results as measured
import svg

HEAD = """# Selection and downsampling compared

What each [selection policy and downsampling method](guides/what-to-train-on.md) costs and what it is worth at 10 and 50 % of the samples,
on images, titles of papers, ratings of films and a market. Every line is runs of a whole pipeline through all services. `make selections` measures and
writes it all (`make selections DATASET=elec2` one dataset, `QUICK=1` a small trial); this page is made of
`benchmarks/results/comparisons` and `benchmarks/comparisons` by `tools/pages`.

## What is compared
- Only the choice of samples differs. The first trigger trains on everything under every policy, so all continue from the same model, bit
  by bit, which is checked; seconds, samples and the measure are from the triggers after it.
- *Samples trained on* is how often a training took one, through all epochs. Seconds are the time of the stages select and train:
  everything that choosing costs is in them (embeddings, scores, other models), and reading and decoding, too, as measured on
  {cores}. Selection policies choose before the training, downsampling methods within it.
- *RS2 at equal time* and *uniform at equal time* are what these two baselines reach in as many seconds: they were run at several
  fractions, and between two of those the value is read off a straight line over the logarithm of the seconds. RS2 takes other random
  samples in each epoch, uniform the same ones. Beyond the fastest or slowest of their runs it is that run's value, marked with *.
- Seconds of the baselines are fitted by a line over the share of the samples. A policy *pays* when it is better than RS2 at equal time by
  more than two standard errors of both means over the seeds, even if it took two standard errors of its seconds longer than measured, and
  *costs* when it is as much worse though it were as much faster; between these, chance can make the difference.

![value by seconds](pictures/selections.svg)
"""

RULES = {"constant": "always predicting the most frequent class or the mean of the labels", "last": "repeating the last label known"}
HEADS = ("policy", "share", "{measure}", "samples trained on", "seconds", "RS2 at equal time", "uniform at equal time", "")


class Choice:
    """What was measured of one policy at one share of the samples."""

    def __init__(self, variant):
        self.policy, share = variant.name.rsplit(" x ", 1)
        self.share = int(share.removesuffix("%")) / 100
        self.runs = variant.runs
        self.all_seconds = [run["selecting_seconds"] + run["training_seconds"] for run in variant.runs]
        self.seconds, self.value = statistics.mean(self.all_seconds), variant.mean("value")
        self.visited = variant.mean("samples_visited")
        self.error = measured.standard_error(variant.values("value"))
        self.figures = {"value": self.value, "seconds": self.seconds, "samples_trained": self.visited}

    def doubt_of_seconds(self):
        """By which factor the mean of the seconds may be off: two standard errors."""
        return 1 + 2 * measured.standard_error(self.all_seconds) / self.seconds


class Curve:
    """A baseline at several shares, everything among them: what it reaches in how many seconds."""

    def __init__(self, choices, name):
        own = [choice for choice in choices if choice.policy in (name, "everything")]
        # A training's seconds are a line over its samples: fitted, they vary less than each measured mean.
        line = statistics.linear_regression([choice.share for choice in own], [choice.seconds for choice in own])
        self.points = sorted((line.intercept + line.slope * choice.share, choice.value, choice.error) for choice in own)

    def at(self, seconds):
        """Value and standard error in this many seconds, and whether there were runs on both sides."""
        if seconds <= self.points[0][0] or seconds >= self.points[-1][0]:
            return *self.points[0 if seconds <= self.points[0][0] else -1][1:], False
        (t0, v0, e0), (t1, v1, e1) = next(pair for pair in zip(self.points, self.points[1:]) if seconds <= pair[1][0])
        share = (math.log(seconds) - math.log(t0)) / (math.log(t1) - math.log(t0))
        return v0 + share * (v1 - v0), max(e0, e1), True


def judge(choice, curve, higher):
    """Whether it beats rs2, were it slower than measured, or loses to it, were it faster."""
    def gain(at):
        value, its_error, _ = curve.at(at)
        return (choice.value - value) * (1 if higher else -1), 2 * math.hypot(choice.error, its_error)

    doubt = choice.doubt_of_seconds()
    better, bar = gain(choice.seconds * doubt)
    if better > bar:
        return "pays"
    worse, bar = gain(choice.seconds / doubt)
    return "costs" if -worse > bar else "even"


def with_error(comparison, choice):
    return f"{comparison.form(choice.value)} ± {comparison.form(choice.error)}"


def row(comparison, choice, curves):
    cells = [choice.policy, f"{choice.share:.0%}", with_error(comparison, choice), f"{choice.visited:,.0f}", f"{choice.seconds:.2f}"]
    for curve in curves:
        value, _, within = curve.at(choice.seconds)
        cells.append(comparison.form(value) + ("" if within else "\\*"))
    return cells + ["" if choice.policy == "rs2" else judge(choice, curves[0], comparison.higher)]


def shares_of(comparison):
    return [int(column["name"].removesuffix("%")) / 100 for column in comparison.spec["columns"]]


def section(comparison):
    choices = list(map(Choice, comparison.variants))
    whole = next(choice for choice in choices if choice.policy == "everything")
    curves = [Curve(choices, name) for name in ("rs2", "uniform")]
    rules = [f"{rule} {comparison.form(whole.runs[0]['baselines'][name])}" for name, rule in RULES.items() if name in whole.runs[0]["baselines"]]
    text = (f"\n## {comparison.page['title']}\n{comparison.setting(samples=whole.runs[0]['samples'])}\n"
            f"Training on everything: {comparison.measure} {with_error(comparison, whole)} in {whole.seconds:.2f} s.\n"
            + (f"Without a model: {'; '.join(rules)}.\n" if rules else "") + "\n")
    rows = []
    for share in shares_of(comparison):
        at = [choice for choice in choices if choice.share == share and choice.policy != "everything"]
        rows += [row(comparison, choice, curves) for choice in sorted(at, key=lambda one: one.value, reverse=comparison.higher)]
    figures = {f"{choice.policy.replace(':', '')} {choice.share:.0%}": choice.figures for choice in choices}
    return text + measured.table([head.format(measure=comparison.measure) for head in HEADS], rows) + comparison.verdict(figures)


def settings(compared):
    seen = {}
    for comparison in compared:
        for one in comparison.spec["rows"]:
            text = f"selection: {one['with']['selection']}" if "with" in one else f"downsampling: {one['words']['DOWNSAMPLING']}"
            seen.setdefault(one["name"], f"`{text}`")
    return "\n## The settings\n\n" + measured.table(("policy", "written"), seen.items()) + "\nFRACTION is 0.1 or 0.5, PRUNED the rest to 1.\n"


def read(results):
    """The comparisons that have what policies are compared with: everything, and the baselines."""
    return [comparison for comparison in comparisons.read(results, "selections")
            if {"everything", "rs2", "uniform"} <= {variant.name.rsplit(" x ", 1)[0] for variant in comparison.variants}]


def document(results):
    compared = read(results)
    return HEAD.replace("{cores}", comparisons.cores(results, "selections")) + "".join(map(section, compared)) + settings(compared)


def panel_of(comparison):
    choices = list(map(Choice, comparison.variants))
    panel = svg.Panel(comparison.page["title"], "seconds of selecting and training", f"{comparison.measure} ({comparison.page['better']} is better)", 760, 420, x_log=True)
    for name, colour in (("rs2", "#0a6ebd"), ("uniform", "#8a8f98")):
        points = Curve(choices, name).points
        panel.add([point[:2] for point in points], colour, f"{name} at several fractions", "solid", spread=[(v - 2 * e, v + 2 * e) for _, v, e in points])
    for share, colour in zip(shares_of(comparison), ("#c2570c", "#2f8f4e")):
        at = [choice for choice in choices if choice.share == share and choice.policy not in ("rs2", "uniform", "everything")]
        panel.add([(choice.seconds, choice.value) for choice in at], colour, f"policies at {share:.0%}")
        for choice in at:
            panel.note(choice.policy, choice.seconds, choice.value, 8)
    return panel


def pictures(results):
    return {"selections.svg": svg.picture([panel_of(comparison) for comparison in read(results)])}
