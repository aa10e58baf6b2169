#!/usr/bin/env python3
"""Times trainings that downsample beside one that does not, and says what their models are worth.

benchmarks/system/downsampling.py [--build FOLDER] [--results FILE] [--repeat NUMBER] [--seed NUMBER] [--method NAME...]

Each run is one training on all 60,000 images of fashion_mnist with the convnet of pipelines/fashion_mnist, through all services of its own stack, by `tidemill run`. Methods take turns, so that what disturbs the machine disturbs all of
them; a ratio is the median of the ratios turn by turn. What is timed is the whole stage: the start of its process, reading,
scoring, choosing, training, and handing the artefact over. Accuracy is that on the 10,000 images of the test file, with
another seed in each turn. TIDEMILL_DATA: the folder with one folder a dataset.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import compare_policies  # noqa: E402  pylint: disable=wrong-import-position
from result_rows import text_of  # noqa: E402  pylint: disable=wrong-import-position

PIPELINE = ROOT / "pipelines" / "fashion_mnist" / "pipeline.yaml"
METHODS = {
    "full": "none",
    "uniform": "{type: uniform, fraction: 0.1}",
    "rs2": "{type: rs2, fraction: 0.1}",
    "margin": "{type: margin, fraction: 0.1}",
    "loss": "{type: loss, fraction: 0.1}",
}
EPOCHS = 5


def pipeline_of(name, seed, turn):
    text = PIPELINE.read_text()
    with_section = compare_policies.with_section
    text = with_section(text, "name", f"downsampling_{name.replace(' ', '_')}_{turn}")
    text = with_section(text, "trigger", "{type: amount, samples: 60000}")
    text = with_section(text, "training", "\n" + "\n".join([
        "  device: cpu", f"  epochs: {EPOCHS}", "  batch_size: 128", "  optimizer: {type: adam, lr: 1e-3}",
        "  loss: cross_entropy", "  warm_start: false", f"  seed: {seed}", f"  downsampling: {METHODS[name]}"]))
    return text


def accuracy_of(run):
    """Of the only model on the only window, wherever the report keeps it."""
    found = [value for key, value in walk(run) if key.endswith("accuracy") and isinstance(value, float)]
    if not found:
        sys.exit(f"run {run['run']} tells no accuracy")
    return found[0]


def walk(value, key=""):
    if isinstance(value, dict):
        named = value.get("measure") or value.get("name")
        for name, inner in value.items():
            yield from walk(inner, f"{key}.{named}" if name == "value" and named else f"{key}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, key)
    else:
        yield key, value


def run_once(stack, name, seed, turn):
    file = stack.folder / "pipeline.yaml"
    file.write_text(pipeline_of(name, seed, turn))
    run = json.loads(stack.call("run", file, "--json"))
    triggers = run["triggers"]
    if len(triggers) != 1 or triggers[0]["samples"] != 60000:
        sys.exit(f"{name}: {len(triggers)} triggers instead of one of 60,000 samples")
    return {"seed": seed, "train_seconds": triggers[0]["stages"]["train"], "accuracy": accuracy_of(run),
            "stages": triggers[0]["stages"]}


def summary_of(runs):
    full = [run["train_seconds"] for run in runs["full"]] if "full" in runs else None
    summary = {}
    for name, of_method in runs.items():
        seconds = [run["train_seconds"] for run in of_method]
        accuracies = [run["accuracy"] for run in of_method]
        summary[name] = {
            "seconds": statistics.median(seconds),
            "accuracy": statistics.mean(accuracies),
            "deviation": statistics.stdev(accuracies) if len(accuracies) > 1 else 0,
        }
        if full:
            summary[name]["speedup"] = statistics.median(a / b for a, b in zip(full, seconds))
    return summary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=5, help="turns")
    parser.add_argument("--seed", type=int, default=1, help="that of the first turn")
    parser.add_argument("--method", action="append", choices=sorted(METHODS))
    options = parser.parse_args()
    os.environ.setdefault("TIDEMILL_DATA", str(ROOT / "data"))
    names = [name for name in METHODS if not options.method or name in options.method]
    runs = {name: [] for name in names}
    with compare_policies.Stack(options.build / "tidemill") as stack:
        for turn in range(options.repeat):
            for name in names:
                runs[name].append(run_once(stack, name, options.seed + turn, turn))
                run = runs[name][-1]
                print(f"turn {turn + 1}, {name:15}: {run['train_seconds']:7.2f} s, accuracy {run['accuracy']:.4f}",
                      file=sys.stderr, flush=True)
    summary = summary_of(runs)
    for name, figures in summary.items():
        speedup = f"{figures['speedup']:6.2f}x" if "speedup" in figures else ""
        print(f"{name:15} {figures['seconds']:7.2f} s {speedup}  accuracy {figures['accuracy']:.4f} "
              f"+- {figures['deviation']:.4f}")
    if options.results:
        options.results.write_text(text_of({"summary": summary, "runs": runs}, levels=2) + "\n")


if __name__ == "__main__":
    main()
