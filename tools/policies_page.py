#!/usr/bin/python3
"""Makes docs/policies.md, and its picture, of what tools/compare_policies.py measured.

tools/policies_page.py [--check] [--results FILE] [--into FOLDER]

What people have to say about the figures stands in benchmarks/policies/*.json; figures in those
sentences are taken from the results, such as {amount 1000[value]:.3f}.
--check: only says whether the document is what the figures give. Runs with the system's Python,
which has the matplotlib that tools/setup.sh installs.
"""
import argparse
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "policies.json"
PICTURE = pathlib.Path("pictures") / "policies.svg"

HEAD = """# Retraining policies compared

What each [policy](guides/when-to-retrain.md) costs and what it is worth, on three datasets that change: a market, the fields of
science, the seasons. Every line is a run of a whole pipeline through all services. `make policies` measures and writes it all
(`make policies DATASET=elec2` one dataset, `QUICK=1` a small trial); this page is made of `benchmarks/results/policies.json` and
`benchmarks/policies/` by `tools/policies_page.py`. `TIDEMILL_DATA` names the folder with the data, which the READMEs of
[the pipelines](../pipelines) describe.

## What is compared
- Within a dataset only the trigger differs. Before the first training all policies are made to wait for the same samples (an
  [ensemble](reference/triggers/ensemble.md) with `first`), so all start from the same model, bit by bit; that is checked, as is that
  all were measured on the same samples.
- Value: each window is scored by the model in use when it began, which has seen nothing of it; the mean is over samples, from
  a time on when all have their first model. Windows are the same for all. A model that is trained within a window is used from
  the next one on, which favours none but those that fire where windows begin.
- Samples trained is the sum over trainings of the samples selected (times epochs, the same for all). It is exact; seconds are
  as measured on {cores} and noisy, and the slower the more else went on.
- Training: seconds of the trainings themselves. Deciding: seconds of all evaluations of the policy, what it asked the model
  included. Run: from submission to the last measured window, the evaluation included, the ingest not.
- Means over seeds of the training; in brackets the least and the greatest where they differ. With another seed another model
  starts, so a policy that looks at models or at seconds fires elsewhere.

![value by samples trained](pictures/policies.svg)
"""

TABLE = """
## {title}
{setting}

| policy | triggers | samples trained | training, s | deciding, s | run, s | {measure} |
|---|---|---|---|---|---|---|
"""


def mean(entry, key):
    return statistics.mean(run[key] for run in entry["runs"])


def spread(entry, key, form):
    """The mean, and in brackets the least and the greatest where they are not the same."""
    values = [run[key] for run in entry["runs"]]
    texts = [form.format(value) for value in (statistics.mean(values), min(values), max(values))]
    return texts[0] if texts[1] == texts[2] else f"{texts[0]} ({texts[1]} to {texts[2]})"


def seconds(entry, key):
    value = mean(entry, key)
    return f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}"


def of_dataset(results, comparison):
    """The entries of a dataset, the best first."""
    entries = [entry for entry in results if entry["dataset"] == comparison["dataset"]]
    return sorted(entries, key=lambda entry: mean(entry, "value"), reverse=comparison["better"] == "higher")


def verdict(comparison, entries):
    """The sentences about the figures, with the figures put in."""
    keys = entries[0]["runs"][0].keys() - {"first", "seed"}
    figures = {entry["policy"]: {key: mean(entry, key) for key in keys} for entry in entries}
    return " ".join(comparison["verdict"]).format_map(figures)


def table(comparison, entries):
    setting = " ".join(comparison["setting"]).format(samples=entries[0]["runs"][0]["samples"], seeds=len(entries[0]["runs"]))
    text = TABLE.format(title=comparison["title"], setting=setting, measure=comparison["measure"])
    for entry in entries:
        text += (f"| {entry['policy']} | {spread(entry, 'triggers', '{:.0f}')} | {spread(entry, 'samples_trained', '{:,.0f}')} "
                 f"| {seconds(entry, 'training_seconds')} | {seconds(entry, 'deciding_seconds')} "
                 f"| {seconds(entry, 'seconds')} | {spread(entry, 'value', comparison['form'])} |\n")
    return f"{text}\n{verdict(comparison, entries)}\n"


def settings(comparison, entries):
    text = f"\n### The triggers of {comparison['dataset']}\n\n| policy | `trigger` |\n|---|---|\n"
    for entry in sorted(entries, key=lambda entry: entry["policy"]):
        text += f"| {entry['policy']} | `{entry['trigger']}` |\n"
    return text


def document(comparisons, results):
    cores = sorted({entry["cores"] for entry in results})
    text = HEAD.format(cores="a machine with " + " or ".join(map(str, cores)) + " cores")
    shown = [(comparison, of_dataset(results, comparison)) for comparison in comparisons]
    shown = [(comparison, entries) for comparison, entries in shown if entries]
    for comparison, entries in shown:
        text += table(comparison, entries)
    text += "\n## The settings\n" + "".join(settings(*pair) for pair in shown)
    return text


def best_so_far(entries, comparison):
    """Those that nobody beats with as few samples, by the number of samples."""
    front = []
    for entry in sorted(entries, key=lambda entry: mean(entry, "samples_trained")):
        better = (lambda a, b: a > b) if comparison["better"] == "higher" else (lambda a, b: a < b)
        if not front or better(mean(entry, "value"), mean(front[-1], "value")):
            front.append(entry)
    return front


def draw(comparisons, results, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"svg.hashsalt": "tidemill", "font.size": 9, "svg.fonttype": "none"})
    canvas, panels = pyplot.subplots(len(comparisons), 1, figsize=(10, 4.2 * len(comparisons)), squeeze=False)
    for panel, comparison in zip(panels.flat, comparisons):
        entries = of_dataset(results, comparison)
        for entry in entries:
            values = [run["value"] for run in entry["runs"]]
            x, y = mean(entry, "samples_trained"), mean(entry, "value")
            panel.errorbar(x, y, [[y - min(values)], [max(values) - y]], fmt="o", color="#0a6ebd", capsize=2)
            panel.annotate(entry["policy"], (x, y), xytext=(5, 4), textcoords="offset points")
        front = best_so_far(entries, comparison)
        panel.plot([mean(entry, "samples_trained") for entry in front], [mean(entry, "value") for entry in front],
                   ":", color="#8a8f98", label="none better for as few samples")
        panel.set_title(comparison["title"])
        panel.set_xlabel("samples trained")
        panel.set_ylabel(f"{comparison['measure']} ({comparison['better']} is better)")
        panel.margins(x=0.12, y=0.1)
        panel.grid(alpha=0.3)
        panel.legend()
    canvas.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text())
    files = sorted((ROOT / "benchmarks" / "policies").glob("*.json"))
    comparisons = [json.loads(file.read_text()) for file in files]
    comparisons = [comparison for comparison in comparisons if of_dataset(results, comparison)]
    text = document(comparisons, results)
    page = arguments.into / "policies.md"
    if arguments.check:
        if page.exists() and page.read_text() == text:
            return
        sys.exit("docs/policies.md is not what benchmarks/results/ gives; run tools/policies_page.py")
    arguments.into.mkdir(parents=True, exist_ok=True)
    page.write_text(text)
    draw(comparisons, results, arguments.into / PICTURE)


if __name__ == "__main__":
    main()
