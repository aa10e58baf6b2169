#!/usr/bin/env python3
"""Runs pipelines with one selection or downsampling policy after the other and keeps what each cost
and was worth.

tools/compare_selections.py [--build FOLDER] [--results FILE] [--quick] [--resume] [--seeds NUMBER]
                            [--policy NAME] [DATASET...]

benchmarks/selections/DATASET.json names a pipeline, the fractions and the policies, and a program that
prepares files beside the pipeline where it needs any (`prepare FOLDER`). Every run goes
through all services of a stack, by `tidemill run`. The first trigger trains on everything under each
policy, so all start from the same model, which is checked. The baselines, rs2 and uniform, run at
several fractions, so that a policy can be compared with their results in the same time.
Replaces the entries of benchmarks/results/selections.json that it has measured;
tools/selections_page.py makes docs/selections.md of them. TIDEMILL_DATA: the folder with one folder a
dataset.

--quick: one seed, one fraction. --resume: leave out what was measured already. --seeds NUMBER: how many of the seeds, at most.
--policy NAME: only this one.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from compare_policies import ROOT, Stack, with_section
from result_rows import text_of

COMPARISONS = ROOT / "benchmarks" / "selections"
RESULTS = ROOT / "benchmarks" / "results" / "selections.json"
BASELINES = ("uniform", "rs2")


def of(template, fraction):
    return template.replace("FRACTION", str(fraction)).replace("PRUNED", str(round(1 - fraction, 6)))


def cases_of(comparison):
    """What is run: everything, the baselines at more fractions, and each policy at each fraction."""
    cases = [{"policy": "everything", "fraction": 1}]
    for name in BASELINES:
        for fraction in comparison["baseline_fractions"]:
            cases.append({"policy": name, "fraction": fraction,
                          "downsampling": of(f"{{type: {name}, fraction: FRACTION, warmup_triggers: 1}}", fraction)})
    for fraction in comparison["fractions"]:
        for policy in comparison["policies"]:
            case = {"policy": policy["name"], "fraction": fraction}
            for section in ("selection", "downsampling"):
                if section in policy:
                    case[section] = of(policy[section], fraction)
            cases.append(case)
    return cases


def pipeline_of(comparison, case, seed, name):
    text = (ROOT / comparison["pipeline"]).read_text()
    text = with_section(text, "name", name)
    for key, value in comparison["sections"].items():
        text = with_section(text, key, value)
    text = with_section(text, "selection", case.get("selection", "new_data"))
    text = with_section(text, "retention", "{models: 1, training_sets: 1}")
    return with_section(text, "training", f"{{{comparison['training']}, seed: {seed}, "
                                          f"downsampling: {case.get('downsampling', 'none')}}}")


def value_of(comparison, run):
    """The mean of the measure over the samples on which models of later triggers are judged."""
    first = run["models"][0]
    values = [value for value in run["evaluations"]
              if value["measure"] == comparison["measure"] and value["dataset"] == comparison["judged_on"]
              and "slice" not in value and value["model"] != first and value.get("value") is not None]
    samples = sum(value["samples"] for value in values)
    if not samples:
        sys.exit(f"run {run['run']}: nothing was measured")
    return sum(value["value"] * value["samples"] for value in values) / samples, samples


def baselines_of(comparison, run):
    """What rules without a model reach on the judged dataset, by their names; the constant knows all labels of the last training."""
    return {value["baseline"]: value["value"] for value in run["baselines"]
            if value["measure"] == comparison["measure"] and value["dataset"] == comparison["judged_on"]
            and value["baseline"] != "first"}


def visits_of(comparison, trigger):
    """How often a training took a sample in, through all epochs."""
    if "downsampling" in trigger:
        return sum(epoch["chosen"] for epoch in trigger["downsampling"]["epochs"])
    return trigger["samples"] * int(re.search(r"epochs: (\d+)", comparison["training"])[1])


def figures_of(comparison, seed, run):
    value, samples = value_of(comparison, run)
    later = run["triggers"][1:]
    return {
        "seed": seed,
        "value": value,
        "samples": samples,
        "baselines": baselines_of(comparison, run),
        "samples_trained": sum(visits_of(comparison, trigger) for trigger in later),
        "select_seconds": round(sum(trigger["stages"]["select"] for trigger in later), 3),
        "train_seconds": round(sum(trigger["stages"]["train"] for trigger in later), 3),
        "first": run["triggers"][0]["weights_digest"],
    }


def name_of(case):
    return f"{case['policy']} {case['fraction']:.0%}"


def keep(file, dataset, case, figures):
    results = json.loads(file.read_text()) if file.exists() else []
    entry = {"dataset": dataset, **case, "cores": os.cpu_count(), "runs": []}
    identity = ("dataset", "policy", "fraction")
    for old in results:
        if all(old[key] == entry[key] for key in identity):
            entry["runs"] = [run for run in old["runs"] if run["seed"] != figures["seed"]]
    entry["runs"] = sorted(entry["runs"] + [figures], key=lambda run: run["seed"])
    others = [old for old in results if any(old[key] != entry[key] for key in identity)]
    file.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(others + [entry], key=lambda one: tuple(str(one[key]) for key in identity))
    file.write_text(text_of(ordered) + "\n")


def check_alike(file, dataset):
    """Ends the program unless all runs of a seed began with the same model."""
    first = {}
    for entry in json.loads(file.read_text()):
        for run in entry["runs"] if entry["dataset"] == dataset else []:
            if first.setdefault(run["seed"], run["first"]) != run["first"]:
                sys.exit(f"{dataset}: {name_of(entry)}, seed {run['seed']}, began with another model than the others")


def is_measured(file, dataset, case, seed):
    entries = json.loads(file.read_text()) if file.exists() else []
    return any(entry["dataset"] == dataset and all(entry.get(key) == value for key, value in case.items())
               and any(run["seed"] == seed for run in entry["runs"]) for entry in entries)


def measure(stack, dataset, comparison, cases, seeds, file, resume):
    folder = stack.folder / dataset
    folder.mkdir()
    if "prepare" in comparison:
        subprocess.run([ROOT / comparison["prepare"], folder], check=True)
    path = folder / "pipeline.yaml"
    for seed in seeds:
        for number, case in enumerate(cases, 1):
            if resume and is_measured(file, dataset, case, seed):
                continue
            path.write_text(pipeline_of(comparison, case, seed, f"{dataset}_{seed}_{number}"))
            run = json.loads(stack.call("run", path, "--json"))
            figures = figures_of(comparison, seed, run)
            keep(file, dataset, case, figures)
            check_alike(file, dataset)
            stack.call("runs", "delete", "--yes", str(run["run"]))
            print(f"{dataset}, {name_of(case)}, seed {seed} ({number} of {len(cases)}): "
                  f"{comparison['measure']} {figures['value']:.4f}, {figures['samples_trained']:,} samples, "
                  f"select {figures['select_seconds']:.2f} s, train {figures['train_seconds']:.2f} s", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    arguments = parser.parse_args()
    if "TIDEMILL_DATA" not in os.environ:
        sys.exit("set TIDEMILL_DATA to the folder that holds the datasets")
    for name in arguments.datasets or sorted(file.stem for file in COMPARISONS.glob("*.json")):
        comparison = json.loads((COMPARISONS / f"{name}.json").read_text())
        if arguments.quick:
            comparison["fractions"] = comparison["fractions"][:1]
        cases = [case for case in cases_of(comparison) if not arguments.policy or case["policy"] in arguments.policy]
        seeds = comparison["seeds"][:1 if arguments.quick else arguments.seeds]
        with Stack(arguments.build / "bin" / "tidemill") as stack:
            measure(stack, name, comparison, cases, seeds, arguments.results, arguments.resume)


if __name__ == "__main__":
    main()
