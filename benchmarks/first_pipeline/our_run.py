"""`tidemill init` and `tidemill run` of one table in a new stack, and what the run says about itself."""
import bisect
import dataclasses
import datetime
import json
import os
import re
import subprocess
import time

import numpy as np

LONGEST = 1_800  # seconds of a command; the longest takes some two minutes


class Failed(Exception):
    """A command that did not do what it is for; the text says which and what it printed."""


@dataclasses.dataclass
class Run:
    pipeline: str  # the file's text
    measure: str
    pooling: str  # "per sample", "pooled" or "mean over windows"
    value: float
    low: float  # NaN: the run gives no interval
    high: float
    samples: int
    windows: list  # of Window, in their order
    rules: dict  # the value of each rule without a model, by its name
    init_seconds: float
    run_seconds: float
    remarks: list


@dataclasses.dataclass
class Window:
    chosen: np.ndarray  # the rows that the model in use was trained on
    known: np.ndarray  # all rows until then
    rows: np.ndarray  # those that it is judged by


class Stack:
    """A stack in a folder; `with` ends it and forgets what it has stored."""

    def __init__(self, program, folder, tables):
        self.program = program
        self.environment = os.environ | {"TIDEMILL_STATE": str(folder), "TIDEMILL_DATA": str(tables)}

    def __enter__(self):
        self.call("up", "--quiet")
        return self

    def __exit__(self, *_):
        self.call("down", "--purge", "--yes", "--quiet")

    def call(self, *words, allowed=(0,)):
        try:
            done = subprocess.run([self.program, *map(str, words)], env=self.environment, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise Failed(f"tidemill {' '.join(map(str, words))} had not ended after {LONGEST} s") from None
        if done.returncode not in allowed:
            raise Failed(f"tidemill {' '.join(map(str, words))} ended with {done.returncode}: {(done.stderr or done.stdout)[-800:]}")
        return done.stdout


def timed(call, *words, **options):
    began = time.monotonic()
    call(*words, **options)
    return time.monotonic() - began


def position(text, key):
    """The place of a sample in the stream: samples of one time are told apart by their keys."""
    return datetime.datetime.fromisoformat(text), key


def our_run(stack, table, name, folder, quick):
    """Guesses a pipeline, runs it, and returns the Run."""
    pipeline = folder / f"{name}.yaml"
    options = (["--label", table.label] if table.label else []) + (["--quick"] if quick else [])
    init_seconds = timed(stack.call, "init", table.path, "-o", pipeline, "--name", name, "--force", "--quiet", *options)
    # 8: finished, with records left out; the remarks say how many.
    run_seconds = timed(stack.call, "run", pipeline, "--quiet", allowed=(0, 8))
    shown = json.loads(stack.call("runs", "show", "latest", "--json"))
    if not shown["composite"]["active"]:
        raise Failed("the run judged no model on samples that came after its training")
    measure = shown["composite"]["active"][0]["measure"]
    value, low, high, pooling, samples = headline(stack.call("runs", "show", "latest"), measure)
    records = json.loads(stack.call("datasets", "records", name, "--limit", 0, "--json"))["records"]
    left_out = shown["left_out"]
    remarks = [f"{left_out['records']} of {left_out['of']} records left out"] if left_out["records"] else []
    return Run(pipeline.read_text(), measure, pooling, value, low, high, samples, windows_of(shown, records, table, measure),
               {line["baseline"]: line["value"] for line in shown["baselines"]
                if line["measure"] == measure and line["evaluation"] == 0 and line["baseline"] != "first"},
               init_seconds, run_seconds, remarks)


def headline(text, measure):
    """The value of the models in use over all windows, with its interval; the JSON document has no such interval."""
    number = r"(-?[\d.e+-]+|nan)"
    found = re.search(rf"(?m)^{re.escape(measure)} on .*(?:\n .*)*?\n  active .*?: {number}(?: \[{number}, {number}\])? "
                      r"([a-z ]+), over ([\d,]+) (?:of [\d,]+ )?samples", text)
    if not found:
        raise Failed(f"`runs show` has no line `active` for {measure}:\n{text[-2000:]}")
    value, low, high, pooling, samples = found.groups()
    return float(value), float(low or "nan"), float(high or "nan"), pooling, int(samples.replace(",", ""))


def windows_of(shown, records, table, measure):
    """The windows of the first evaluation, with what the model in use had been trained on."""
    check_labels(records, table)
    places = sorted((position(record["time"], record["key"]), table.firsts[record["file"]] + record["record"]) for record in records)
    stream, rows = [place for place, _ in places], np.array([row for _, row in places])
    before = lambda time, key: bisect.bisect_left(stream, position(time, key))
    cuts = {trigger["number"]: before(trigger["at"], trigger["at_key"]) for trigger in shown["triggers"]}
    begins = {one["trigger"]: first_chosen(one, cuts) for one in shown["selections"]}
    return [Window(rows[begins[window["trigger"]]:cuts[window["trigger"]]], rows[:cuts[window["trigger"]]],
                   rows[before(window["from"], window["from_key"]):before(window["to"], window["to_key"])])
            for window in shown["composite"]["active"] if window["measure"] == measure and window["evaluation"] == 0]


def first_chosen(selection, cuts):
    """Where a selection begins in the stream. The policies that `init` writes choose what is newest before their trigger."""
    number = selection["trigger"]
    if selection["policy"] == "all_data":
        return 0
    if selection["policy"] == "new_data":
        return max([cut for other, cut in cuts.items() if other < number], default=0)
    return max(0, cuts[number] - selection["candidates"])


def check_labels(records, table):
    """Fails unless the run's labels are the table's: else rows would be compared with others."""
    unknown = {record["file"] for record in records} - table.firsts.keys()
    if unknown:
        raise Failed(f"the run read {sorted(unknown)[0]}, which is not a file of the table")
    wrong = 0
    for record in records:
        ours = record["label"]
        theirs = table.target[table.firsts[record["file"]] + record["record"]]
        wrong += not same(ours, theirs)
    if wrong > .01 * len(records):
        raise Failed(f"{wrong} of {len(records)} labels of the run are not those of the table")


def same(ours, theirs):
    if isinstance(theirs, str):
        return str(ours) == theirs or (ours is None and theirs == "")
    if ours is None or ours == "":
        return np.isnan(theirs)
    return abs(float(str(ours).replace(",", ".")) - theirs) <= 1e-4 * max(1, abs(theirs))
