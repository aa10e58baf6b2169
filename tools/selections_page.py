#!/usr/bin/python3
"""Makes docs/selections.md, and its picture, of what tools/compare_selections.py measured.

tools/selections_page.py [--check] [--results FILE] [--into FOLDER]

The sentences about the figures are in benchmarks/selections/*.json; figures in those sentences are taken from the results, such
as {margin 10%[value]:.3f}; colons of names are left out. --check: only says whether the document is what the figures give. Runs
with the system's Python, which has the matplotlib that tools/setup.sh installs.
"""
import json
import math
import pathlib
import statistics

from policies_page import ROOT, arguments_of, publish

RESULTS = ROOT / "benchmarks" / "results" / "selections.json"
PICTURE = pathlib.Path("pictures") / "selections.svg"

HEAD = """# Selection and downsampling compared

What each [selection policy and downsampling method](guides/what-to-train-on.md) costs and what it is worth at 10 and 50 % of the samples,
on images, titles of papers, ratings of films and a market. Every line is runs of a whole pipeline through all services. `make selections` measures and
writes it all (`make selections DATASET=elec2` one dataset, `QUICK=1` a small trial); this page is made of
`benchmarks/results/selections.json` and `benchmarks/selections/` by `tools/selections_page.py`.

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

TABLE = """
## {title}
{setting}
Training on everything: {measure} {value} in {seconds} s.
{baselines}
| policy | share | {measure} | samples trained on | seconds | RS2 at equal time | uniform at equal time | |
|---|---|---|---|---|---|---|---|
"""


def seconds_of(run):
    return run["select_seconds"] + run["train_seconds"]


def mean(entry, key):
    if key == "seconds":
        return statistics.mean(map(seconds_of, entry["runs"]))
    return statistics.mean(run[key] for run in entry["runs"])


def error(entry):
    """Standard error of the mean value over seeds."""
    values = [run["value"] for run in entry["runs"]]
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def fitted_seconds(curve):
    """A training's seconds are a line over its samples: fitted, they vary less than each measured mean."""
    line = statistics.linear_regression([entry["fraction"] for entry in curve], [mean(entry, "seconds") for entry in curve])
    return {id(entry): line.intercept + line.slope * entry["fraction"] for entry in curve}


def at_equal_time(curve, seconds):
    """Value and standard error of a baseline in this many seconds, and whether it had runs on both sides."""
    fitted = fitted_seconds(curve)
    points = sorted((fitted[id(entry)], mean(entry, "value"), error(entry)) for entry in curve)
    if seconds <= points[0][0] or seconds >= points[-1][0]:
        point = points[0] if seconds <= points[0][0] else points[-1]
        return point[1], point[2], False
    for (t0, v0, e0), (t1, v1, e1) in zip(points, points[1:]):
        if seconds <= t1:
            share = (math.log(seconds) - math.log(t0)) / (math.log(t1) - math.log(t0))
            return v0 + share * (v1 - v0), max(e0, e1), True
    raise AssertionError


def curve_of(entries, name):
    return [entry for entry in entries if entry["policy"] in (name, "everything")]


def doubt_of_seconds(entry):
    """By which factor the mean of an entry's seconds may be off: two standard errors."""
    values = [seconds_of(run) for run in entry["runs"]]
    if len(values) < 2:
        return 1.0
    return 1 + 2 * statistics.stdev(values) / math.sqrt(len(values)) / statistics.mean(values)


def judge(entry, entries, higher):
    """Whether it beats rs2, were it slower than measured, or loses to it, were it faster."""
    curve, sign = curve_of(entries, "rs2"), 1 if higher else -1
    seconds, doubt = mean(entry, "seconds"), doubt_of_seconds(entry)

    def gain(at):
        value, its_error, _ = at_equal_time(curve, at)
        return sign * (mean(entry, "value") - value), 2 * math.hypot(error(entry), its_error)

    better, bar = gain(seconds * doubt)
    if better > bar:
        return "pays"
    worse, bar = gain(seconds / doubt)
    return "costs" if -worse > bar else "even"


def form_of(comparison, value, error_of_it):
    return f"{comparison['form'].format(value)} ± {comparison['form'].format(error_of_it)}"


def row(comparison, entry, entries):
    cells = [f"{entry['policy']}", f"{entry['fraction']:.0%}", form_of(comparison, mean(entry, "value"), error(entry)),
             f"{mean(entry, 'samples_trained'):,.0f}", f"{mean(entry, 'seconds'):.2f}"]
    for name in ("rs2", "uniform"):
        value, _, within = at_equal_time(curve_of(entries, name), mean(entry, "seconds"))
        cells.append(comparison["form"].format(value) + ("" if within else "\\*"))
    cells.append("" if entry["policy"] == "rs2" else judge(entry, entries, comparison["better"] == "higher"))
    return "| " + " | ".join(cells) + " |\n"


def of_dataset(results, name):
    return [entry for entry in results if entry["dataset"] == name]


def baselines(comparison, whole):
    """What rules without a model reach, where the results tell."""
    known = whole["runs"][0].get("baselines", {})
    rules = {"constant": "always predicting the most frequent class or the mean of the labels", "last": "repeating the last label known"}
    texts = [f"{rule} {comparison['form'].format(known[name])}" for name, rule in rules.items() if name in known]
    return f"Without a model: {'; '.join(texts)}.\n" if texts else ""


def table(comparison, entries):
    whole = next(entry for entry in entries if entry["policy"] == "everything")
    setting = "\n".join(comparison["setting"]).format(samples=whole["runs"][0]["samples"])
    text = TABLE.format(title=comparison["title"], setting=setting, measure=comparison["measure"],
                        baselines=baselines(comparison, whole),
                        value=form_of(comparison, mean(whole, "value"), error(whole)),
                        seconds=f"{mean(whole, 'seconds'):.2f}")
    higher = comparison["better"] == "higher"
    for fraction in comparison["fractions"]:
        at = [entry for entry in entries if entry["fraction"] == fraction and entry["policy"] != "everything"]
        for entry in sorted(at, key=lambda one: mean(one, "value"), reverse=higher):
            text += row(comparison, entry, entries)
    figures = {f"{entry['policy'].replace(':', '')} {entry['fraction']:.0%}":
               {key: mean(entry, key) for key in ("value", "seconds", "samples_trained", "select_seconds", "train_seconds")}
               for entry in entries}
    return text + "\n" + "\n".join(comparison["verdict"]).format_map(figures) + "\n"


def settings(comparisons):
    text = "\n## The settings\n\n| policy | written |\n|---|---|\n"
    seen = {}
    for comparison in comparisons:
        for policy in comparison["policies"]:
            section = "selection" if "selection" in policy else "downsampling"
            seen.setdefault(policy["name"], f"`{section}: {policy[section]}`")
    for name, written in seen.items():
        text += f"| {name} | {written} |\n"
    return text + "\nFRACTION is 0.1 or 0.5, PRUNED the rest to 1.\n"


def document(comparisons, results):
    cores = sorted({entry["cores"] for entry in results})
    text = HEAD.replace("{cores}", "a machine with " + " or ".join(map(str, cores)) + " cores")
    for name, comparison in comparisons.items():
        text += table(comparison, of_dataset(results, name))
    return text + settings(list(comparisons.values()))


def draw_curve(panel, entries, name, colour):
    curve = curve_of(entries, name)
    fitted = fitted_seconds(curve)
    points = sorted((fitted[id(entry)], mean(entry, "value"), error(entry)) for entry in curve)
    panel.errorbar(*zip(*[(t, v) for t, v, _ in points]), [2 * e for _, _, e in points], fmt="-o", color=colour,
                   capsize=2, label=f"{name} at several fractions")


def draw(comparisons, results, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"svg.hashsalt": "tidemill", "font.size": 9, "svg.fonttype": "none"})
    canvas, panels = pyplot.subplots(len(comparisons), 1, figsize=(9, 4.6 * len(comparisons)), squeeze=False)
    for panel, (name, comparison) in zip(panels.flat, comparisons.items()):
        entries = of_dataset(results, name)
        draw_curve(panel, entries, "rs2", "#0a6ebd")
        draw_curve(panel, entries, "uniform", "#8a8f98")
        for fraction, colour in zip(comparison["fractions"], ("#c2570c", "#2f8f4e")):
            at = [entry for entry in entries if entry["fraction"] == fraction
                  and entry["policy"] not in ("rs2", "uniform", "everything")]
            panel.scatter([mean(entry, "seconds") for entry in at], [mean(entry, "value") for entry in at], color=colour,
                          label=f"policies at {fraction:.0%}", zorder=3)
            for entry in at:
                panel.annotate(entry["policy"], (mean(entry, "seconds"), mean(entry, "value")), xytext=(4, 2),
                               textcoords="offset points", fontsize=6)
        panel.set_xscale("log")
        panel.set_title(comparison["title"])
        panel.set_xlabel("seconds of selecting and training")
        panel.set_ylabel(f"{comparison['measure']} ({comparison['better']} is better)")
        panel.grid(alpha=0.3)
        panel.legend()
    canvas.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, metadata={"Date": None})


def main():
    arguments = arguments_of(__doc__, RESULTS)
    results = json.loads(arguments.results.read_text())
    files = {file.stem: json.loads(file.read_text()) for file in sorted((ROOT / "benchmarks" / "selections").glob("*.json"))}
    comparisons = {name: comparison for name, comparison in files.items() if of_dataset(results, name)}
    if publish(document(comparisons, results), arguments.into / "selections.md", arguments.check):
        draw(comparisons, results, arguments.into / PICTURE)


if __name__ == "__main__":
    main()
