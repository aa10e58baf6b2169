#!/usr/bin/env python3
"""Runs pipelines with one retraining policy after the other and keeps what each cost and was worth.

tools/compare_policies.py [--build FOLDER] [--results FILE] [--quick] [--seeds NUMBER] [--policy NAME]
                          [DATASET...]

benchmarks/policies/DATASET.json names a pipeline, the policies that take the place of its trigger
and the windows that all of them are measured on. Every run goes through all services of its own stack, by `tidemill run`. Compared runs differ in the trigger alone: that all have
the same first model and were measured on the same samples is checked. Replaces the entries of
benchmarks/results/policies.json that it has measured; tools/policies_page.py makes
docs/policies.md of them. TIDEMILL_DATA: the folder with one folder a dataset.

--quick: one seed each, and only the number of triggers that the file gives.
--seeds NUMBER: how many of the seeds, at most. --policy NAME: only this one; results of the others stay.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from result_rows import text_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPARISONS = ROOT / "benchmarks" / "policies"
RESULTS = ROOT / "benchmarks" / "results" / "policies.json"
# Whatever ends the program, it leaves no stack behind.
ENDINGS = (signal.SIGINT, signal.SIGTERM)


class Stack:
    """All services in a state folder of their own, for as long as a `with` lasts."""

    def __init__(self, program):
        self.program = program
        # Sockets have short names.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="policies", dir="/tmp"))

    def __enter__(self):
        for number in ENDINGS:
            signal.signal(number, lambda *_: sys.exit("interrupted"))
        self.call("up")
        return self

    def __exit__(self, *_):
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)
        subprocess.run([self.program, "down", "--purge", "--yes", "--quiet", "--state", self.folder / "state"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.folder)

    def call(self, *arguments):
        """What a command prints on stdout."""
        command = [self.program, *arguments, "--quiet", "--state", self.folder / "state"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"tidemill {' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout


def with_section(text, key, value):
    """A pipeline with another value of a key at its top."""
    lines = re.compile(rf"^{key}:.*\n(?:[ \t#].*\n|\n)*", re.MULTILINE)
    section = f"{key}: {value}\n"
    return lines.sub(lambda _: section + "\n", text, count=1) if lines.search(text) else f"{text}\n{section}"


def trigger_of(comparison, policy):
    """The policy, from the first training on that all of them have in common."""
    return f"{{type: ensemble, first: {comparison['first']}, of: [{policy['trigger']}]}}"


def pipeline_of(comparison, policy, seed):
    text = (ROOT / comparison["pipeline"]).read_text()
    text = with_section(text, "name", re.sub(r"[^a-z0-9]+", "_", f"{comparison['dataset']} {policy['name']} {seed}"))
    for key, value in comparison.get("alike", {}).items():
        text = with_section(text, key, value)
    text = with_section(text, "trigger", trigger_of(comparison, policy))
    text = with_section(text, "evaluation", f"[{{dataset: {comparison['dataset']}, windows: {comparison['windows']}, "
                                            f"models: active, measures: [{comparison['measure']}], "
                                            "bootstrap: {replicates: 0}}]")
    text = with_section(text, "retention", "{models: 1, training_sets: 1}")
    text, found = re.subn(r"^(\s+seed:) \d+", rf"\1 {seed}", text, flags=re.MULTILINE)
    if found != 1:
        sys.exit(f"{comparison['pipeline']}: {found} lines with a seed")
    return text


def moment(text):
    return datetime.datetime.fromisoformat(text)


def measured_on(comparison, run):
    """The windows from where all policies have a model on."""
    windows = [window for window in run["composite"]["active"]
               if moment(window["from"]) >= moment(comparison["from"]) and window["samples"] > 0]
    if not windows or any(window["value"] is None for window in windows):
        sys.exit(f"run {run['run']}: a window from {comparison['from']} on has no value")
    return windows


def baselines_of(comparison, run, windows):
    """What rules without a model would have reached on the samples of these windows, by their names."""
    spans = {(window["from"], window["to"]) for window in windows}
    values = {}
    for value in run["composite"]["baselines"]:
        if (value["from"], value["to"]) in spans and value["measure"] == comparison["measure"] and value["value"] is not None:
            values.setdefault(value["baseline"], []).append(value)
    return {name: sum(value["value"] * value["samples"] for value in own) / sum(value["samples"] for value in own)
            for name, own in sorted(values.items()) if len(own) == len(spans)}


def figures_of(comparison, seed, run, decisions):
    windows = measured_on(comparison, run)
    samples = sum(window["samples"] for window in windows)
    triggers = run["triggers"]
    return {
        "seed": seed,
        "value": sum(window["value"] * window["samples"] for window in windows) / samples,
        "samples": samples,
        "baselines": baselines_of(comparison, run, windows),
        "triggers": len(triggers),
        "samples_trained": sum(trigger["samples"] for trigger in triggers),
        "training_seconds": round(sum(trigger["stages"]["train"] for trigger in triggers), 3),
        "stages_seconds": round(sum(trigger["seconds"] for trigger in triggers), 3),
        "decisions": len(decisions),
        "deciding_seconds": round(sum(decision["seconds"] for decision in decisions), 3),
        "seconds": round((moment(run["finished_at"]) - moment(run["started_at"])).total_seconds(), 3),
        "first": [triggers[0]["at"], triggers[0]["training_set_digest"], triggers[0]["weights_digest"]],
    }


def run_once(stack, folder, comparison, policy, seed, most):
    file = folder / "pipeline.yaml"
    file.write_text(pipeline_of(comparison, policy, seed))
    limit = ["--max-triggers", str(most)] if most else []
    run = json.loads(stack.call("run", file, "--json", *limit))
    directory = stack.folder / "state" / "runs" / run["pipeline"] / str(run["run"])
    decisions = [json.loads(line) for line in (directory / "decisions.jsonl").read_text().splitlines()]
    return figures_of(comparison, seed, run, decisions)


def prepare(stack, comparison):
    """The folder of the pipelines, with the files that they read beside them; the dataset is ingested."""
    folder = stack.folder / comparison["dataset"]
    folder.mkdir()
    if "prepare" in comparison:
        subprocess.run([ROOT / comparison["prepare"]], check=True)
    for pattern in comparison.get("files", []):
        for file in sorted((ROOT / comparison["pipeline"]).parent.glob(pattern)):
            target = folder / file.relative_to((ROOT / comparison["pipeline"]).parent)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(file, target)
    file = folder / "pipeline.yaml"
    file.write_text(pipeline_of(comparison, comparison["policies"][0], 0))
    stack.call("datasets", "register", file)
    stack.call("datasets", "sync", comparison["dataset"])
    return folder


def check_alike(comparison, runs):
    """Ends the program unless all had the same first model and were measured on the same samples."""
    first, samples = {}, set()
    for name, figures in runs:
        samples.add(figures["samples"])
        of_seed = first.setdefault(figures["seed"], (name, figures["first"]))
        if of_seed[1] != figures["first"]:
            sys.exit(f"{comparison['dataset']}: the first models of {of_seed[0]} and {name} differ: "
                     f"{of_seed[1]} and {figures['first']}")
    if len(samples) > 1:
        sys.exit(f"{comparison['dataset']}: policies were measured on different numbers of samples: {sorted(samples)}")


def compare(stack, comparison, policies, seeds, most):
    """The entries of the policies, each as soon as it has one run more."""
    entries = {policy["name"]: {"dataset": comparison["dataset"], "policy": policy["name"],
                                "trigger": policy["trigger"],
                                "cores": os.cpu_count(), "runs": []} for policy in policies}
    folder = prepare(stack, comparison)
    for seed in seeds:
        for policy in policies:
            figures = run_once(stack, folder, comparison, policy, seed, most)
            print(f"{comparison['dataset']}, {policy['name']}, seed {seed}: {figures['triggers']} triggers, "
                  f"{figures['samples_trained']:,} samples, {comparison['measure']} {figures['value']:.4f}, "
                  f"{figures['seconds']:.1f} s", file=sys.stderr)
            entries[policy["name"]]["runs"].append(figures)
            yield entries[policy["name"]]


def keep(file, fresh, comparison):
    """Replaces the entry of the same dataset and policy and drops those that are no longer compared."""
    names = {policy["name"] for policy in comparison["policies"]} - {fresh["policy"]}
    old = json.loads(file.read_text()) if file.exists() else []
    others = [entry for entry in old if entry["dataset"] != comparison["dataset"]]
    same = [fresh] + [entry for entry in old if entry["dataset"] == comparison["dataset"] and entry["policy"] in names]
    check_alike(comparison, [(entry["policy"], run) for entry in same for run in entry["runs"]])
    kept = sorted(others + same, key=lambda entry: (entry["dataset"], entry["policy"]))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text_of(kept) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    arguments = parser.parse_args()
    if "TIDEMILL_DATA" not in os.environ:
        sys.exit("set TIDEMILL_DATA to the folder that holds the datasets")
    for name in arguments.datasets or sorted(file.stem for file in COMPARISONS.glob("*.json")):
        comparison = json.loads((COMPARISONS / f"{name}.json").read_text())
        policies = [policy for policy in comparison["policies"]
                    if not arguments.policy or policy["name"] in arguments.policy]
        seeds = comparison["seeds"][:1 if arguments.quick else arguments.seeds]
        most = comparison["quick"] if arguments.quick else 0
        with Stack(arguments.build / "bin" / "tidemill") as stack:
            for entry in compare(stack, comparison, policies, seeds, most):
                keep(arguments.results, entry, comparison)


if __name__ == "__main__":
    main()
