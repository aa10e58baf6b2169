#!/usr/bin/python3
"""Makes docs/policies.md, and its picture, of what tools/compare_policies.py measured.

tools/policies_page.py [--check] [--results FILE] [--into FOLDER]

The sentences about the figures are in benchmarks/policies/*.json; figures in those sentences are taken from the results, such as
{amount 1000[value]:.3f}. --check: only says whether the document is what the figures give. Runs with the system's Python,
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

# What a trigger names, what it looks at, its colour; the first that fits.
KINDS = (
    (("performance", "detector", "cara", "budgeted", "debt", "forecast"), "looks at mistakes of the model", "#c2570c"),
    (("drift",), "looks at samples", "#2f8f4e"),
    (("",), "looks at times and counts", "#0a6ebd"),
)

HEAD = """# Retraining policies compared

What each [policy](guides/when-to-retrain.md) costs and what it is worth, on three datasets that change: a market, the fields of
science, the seasons. Every line is a run of a whole pipeline through all services. `make policies` measures and writes it all
(`make policies DATASET=elec2` one dataset, `QUICK=1` a small trial); this page is made of `benchmarks/results/policies.json` and
`benchmarks/policies/` by `tools/policies_page.py`. `TIDEMILL_DATA` names the folder with the data, which the READMEs of
[the pipelines](../pipelines) describe.

## What is compared
- Within a dataset only the trigger differs. The first training waits for the same samples under every policy (an
  [ensemble](reference/triggers/ensemble.md) with `first`), so all start from the same model, bit by bit. That is checked, and
  that all were measured on the same samples.
- A training continues from the last model with the newest samples since the one before, up to a budget. Without one each sample is
  trained on once under any policy, and policies differ in the number of trainings alone; with it each training has its price.
- Each window is scored by the model in use when it began, which has seen nothing of it; the mean is over samples, from a time on
  when there is a model. A model that is trained within a window is used from the next one on.
- Samples trained is the sum over trainings (times epochs, the same for all): it is exact. Seconds are as measured on {cores},
  and more the more else it does. Training: the trainings alone. Deciding: the policy, and what it asks of the model in
  use. Run: all from submission to the last measured window, without the ingest.
- Means over seeds of the training, in brackets the least and the greatest where they differ. Another seed is another model, which
  policies that look at its mistakes or at seconds train at other times.
- Settings were chosen by hand so that most policies train about as often as each other. Thresholds of those that look at samples
  or mistakes were set after a trial on the same data, which flatters them: on new data they have to be found first.

Numbers are from the tables; `never` is left out, as it would hide the differences between the others.

![value by samples trained](pictures/policies.svg)
"""

TABLE = """
## {title}
{setting}

| | policy | triggers | samples trained | training, s | deciding, s | run, s | {measure} |
|---|---|---|---|---|---|---|---|
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
    keys = entries[0]["runs"][0].keys() - {"baselines", "first", "seed"}
    figures = {entry["policy"]: {key: mean(entry, key) for key in keys} for entry in entries}
    return "\n".join(comparison["verdict"]).format_map(figures)


RULES = {"constant": "always predicting the most frequent class or the mean known at each training", "last": "repeating the last label known"}


def baselines(comparison, entries):
    """What rules without a model reach on the same samples; they depend little on when models are trained."""
    texts = []
    for name, rule in RULES.items():
        values = [run["baselines"][name] for entry in entries for run in entry["runs"] if name in run.get("baselines", {})]
        if values:
            least, most = comparison["form"].format(min(values)), comparison["form"].format(max(values))
            texts.append(f"{rule} {least if least == most else f'{least} to {most}'}")
    return f"\nOn the same samples, {comparison['measure']} without a model: {'; '.join(texts)}.\n" if texts else ""


def table(comparison, entries):
    seeds = sorted({len(entry["runs"]) for entry in entries})
    setting = "\n".join(comparison["setting"]).format(samples=entries[0]["runs"][0]["samples"],
                                                   seeds=" or ".join(map(str, seeds)))
    text = TABLE.format(title=comparison["title"], setting=setting, measure=comparison["measure"])
    for number, entry in enumerate(entries, 1):
        text += (f"| {number} | {entry['policy']} | {spread(entry, 'triggers', '{:.0f}')} "
                 f"| {spread(entry, 'samples_trained', '{:,.0f}')} | {seconds(entry, 'training_seconds')} | {seconds(entry, 'deciding_seconds')} "
                 f"| {seconds(entry, 'seconds')} | {spread(entry, 'value', comparison['form'])} |\n")
    return f"{text}{baselines(comparison, entries)}\n{verdict(comparison, entries)}\n"


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
    """The policies that no other beats with as few samples, by the number of samples."""
    front = []
    for entry in sorted(entries, key=lambda entry: mean(entry, "samples_trained")):
        better = (lambda a, b: a > b) if comparison["better"] == "higher" else (lambda a, b: a < b)
        if not front or better(mean(entry, "value"), mean(front[-1], "value")):
            front.append(entry)
    return front


def kind_of(trigger):
    return next((name, colour) for words, name, colour in KINDS if any(word in trigger for word in words))


def draw_points(panel, comparison, entries):
    """Each by its number in the table, in the colour of what it looks at."""
    shown = [entry for entry in entries if entry["policy"] != "never"]
    seen = set()
    for number, entry in enumerate(entries, 1):
        if entry not in shown:
            continue
        looks_at, colour = kind_of(entry["trigger"])
        values = [run["value"] for run in entry["runs"]]
        x, y = mean(entry, "samples_trained"), mean(entry, "value")
        panel.errorbar(x, y, [[y - min(values)], [max(values) - y]], fmt="o", color=colour, capsize=2,
                       label="_" if looks_at in seen else looks_at)
        panel.annotate(number, (x, y), xytext=(5, 4), textcoords="offset points")
        seen.add(looks_at)
    front = best_so_far(shown, comparison)
    panel.step([mean(entry, "samples_trained") for entry in front], [mean(entry, "value") for entry in front], ":",
               where="post", color="#8a8f98", label="the best with so few samples")


def draw(comparisons, results, file):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
    pyplot.rcParams.update({"svg.hashsalt": "tidemill", "font.size": 9, "svg.fonttype": "none"})
    canvas, panels = pyplot.subplots(len(comparisons), 1, figsize=(9, 3.6 * len(comparisons)), squeeze=False)
    for panel, comparison in zip(panels.flat, comparisons):
        draw_points(panel, comparison, of_dataset(results, comparison))
        panel.set_title(comparison["title"])
        panel.set_xlabel("samples trained")
        panel.set_ylabel(f"{comparison['measure']} ({comparison['better']} is better)")
        panel.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
        panel.margins(x=0.08, y=0.1)
        panel.grid(alpha=0.3)
        panel.legend()
    canvas.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, metadata={"Date": None})


def publish(text, page, check):
    """Writes a page, or with `check` ends the program unless it is there already. Whether it was written."""
    if not check:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        sys.exit(f"{page.relative_to(ROOT)} is not what benchmarks/results/ gives; run {sys.argv[0]}")
    return not check


def arguments_of(description, results):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=results)
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "docs")
    return parser.parse_args()


def main():
    arguments = arguments_of(__doc__, RESULTS)
    results = json.loads(arguments.results.read_text())
    files = sorted((ROOT / "benchmarks" / "policies").glob("*.json"))
    comparisons = [json.loads(file.read_text()) for file in files]
    comparisons = [comparison for comparison in comparisons if of_dataset(results, comparison)]
    if publish(document(comparisons, results), arguments.into / "policies.md", arguments.check):
        draw(comparisons, results, arguments.into / PICTURE)


if __name__ == "__main__":
    main()
