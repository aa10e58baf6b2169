#!/usr/bin/env python3
"""Asks whether the pipeline that `tidemill init` writes deserves trust.

usage: first_pipeline.py [--build DIR] [--data DIR] [--tables A,B] [--quick] [--json FILE] [--markdown FILE] [--keep DIR]
For each table: `tidemill init` and `tidemill run` in a new stack, and scikit-learn's LogisticRegression or Ridge on
the same rows, cuts and windows. Exits with 1 if ours is worse than the linear model beyond its 95 % interval, or fails.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

# On a busy machine, threads that wait for each other make the reference models twenty times slower than one thread is.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import made_tables
import numpy as np
import our_run
import page
import real_tables
import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Outcome:
    table: str
    verdict: str  # above, ok, LOST, FAILED or left out
    remarks: list
    rows: int = 0
    task: str = ""
    measure: str = ""
    ours: float = np.nan
    low: float = np.nan
    high: float = np.nan
    samples: int = 0
    rule: float = np.nan
    linear: float = np.nan
    linear_all: float = np.nan
    verdict_all: str = ""
    boosting: float = np.nan
    init_seconds: float = np.nan
    run_seconds: float = np.nan
    chosen: str = ""


def better(measure, one, other):
    return one < other if measure in reference.SMALLER_IS_BETTER else one > other


def verdict(run, linear):
    """`above` and `LOST` beyond the interval of ours; a run without an interval is judged by its value."""
    ends = [end if not np.isnan(end) else run.value for end in (run.low, run.high)]
    best, worst = (min(ends), max(ends)) if run.measure in reference.SMALLER_IS_BETTER else (max(ends), min(ends))
    # The run prints four digits.
    if better(run.measure, linear, best) and not np.isclose(linear, best, rtol=1e-3):
        return "LOST"
    return "above" if better(run.measure, worst, linear) else "ok"


def best_rule(run):
    values = list(run.rules.values())
    return (min if run.measure in reference.SMALLER_IS_BETTER else max)(values) if values else np.nan


def chosen(pipeline):
    """The candidate: model, selection and epochs, as the pipeline has them."""
    types = [re.search(rf"(?m)^{section}: {{type: (\w+)", pipeline) for section in ("model", "selection")]
    epochs = re.search(r"(?m)^training: {epochs: (\d+)", pipeline)
    return ", ".join([found[1] for found in types if found] + ([f"{epochs[1]} epochs"] if epochs else []))


def check_rows(run, constant):
    """Fails where the run's rule `constant` has another value on its own rows: then ours are others."""
    theirs = run.rules.get("constant")
    if theirs is not None and not np.isclose(theirs, constant, rtol=.005, atol=.001):
        raise our_run.Failed(f"always the most frequent or the mean has {constant:.4f} on these rows, and {theirs:.4f} in the run: other rows")


def measured(name, table, run):
    apply = lambda train, rows: reference.prequential(train, table, run.windows, rows, run.measure, run.pooling)
    check_rows(run, apply(reference.constant, lambda window: window.known))
    same_rows = apply(reference.linear, lambda window: window.chosen)
    everything = all(len(window.chosen) == len(window.known) for window in run.windows)
    all_rows = same_rows if everything else apply(reference.linear, lambda window: window.known)
    of_columns = table.pixels is None and not table.texts
    judged = sum(int(reference.is_known(table.target[window.rows]).sum()) for window in run.windows)
    remarks = run.remarks + ([f"the run judged {run.samples:,} of {judged:,} samples"] if judged != run.samples else [])
    return Outcome(
        name, verdict(run, same_rows), remarks, table.size(), "classes" if table.target.dtype.kind == "U" else "numbers", run.measure,
        run.value, run.low, run.high, run.samples, best_rule(run), same_rows, all_rows, verdict(run, all_rows),
        apply(reference.trees, lambda window: window.known) if of_columns else np.nan, run.init_seconds, run.run_seconds, chosen(run.pipeline))


def tried(make, options, folder):
    name = make.__name__
    if make in real_tables.TABLES and not (options.data and (options.data / name).is_dir()):
        return Outcome(name, "left out", [f"there is no {options.data / name if options.data else 'TIDEMILL_DATA'}"])
    place = folder / name
    place.mkdir()
    table = make(options.data, place)
    try:
        with our_run.Stack(options.build / "bin" / "tidemill", folder / f"state_{name}", folder) as stack:
            run = our_run.our_run(stack, table, name, folder, options.quick)
        return measured(name, table, run)
    except our_run.Failed as failure:
        return Outcome(name, "FAILED", [str(failure)], table.size())


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder (default: build)")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("TIDEMILL_DATA"),
                        help="the folder with one folder a dataset (default: $TIDEMILL_DATA)")
    parser.add_argument("--tables", help="only these, divided by commas")
    parser.add_argument("--quick", action="store_true", help="`tidemill init --quick`")
    parser.add_argument("--json", type=pathlib.Path, help="write the outcomes into this file")
    parser.add_argument("--markdown", type=pathlib.Path, help="replace the section of this page")
    parser.add_argument("--keep", type=pathlib.Path, help="write tables and pipelines into this new folder, and keep them")
    return parser.parse_args()


def main():
    options = parsed()
    # So that stacks are taken down, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    makes = real_tables.TABLES + made_tables.TABLES
    if options.tables:
        known = {make.__name__: make for make in makes}
        unknown = [name for name in options.tables.split(",") if name not in known]
        if unknown:
            sys.exit(f"there is no table {unknown[0]}; the tables are {', '.join(known)}")
        makes = [known[name] for name in options.tables.split(",")]
    began = time.monotonic()
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="first_pipeline.") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(page.heading(), flush=True)
        for make in makes:
            outcomes.append(tried(make, options, folder.resolve()))
            print(page.line(outcomes[-1]), flush=True)
            if options.json:
                options.json.write_text(json.dumps([dataclasses.asdict(outcome) for outcome in outcomes], indent=1) + "\n")
    print(page.summary(outcomes, time.monotonic() - began))
    if options.markdown:
        page.replace_section(options.markdown, outcomes, options)
    return 1 if any(outcome.verdict in ("LOST", "FAILED") for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
