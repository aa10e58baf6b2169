"""The outcomes as lines of a terminal and as the section of a page."""
import collections
import re

import numpy as np


TITLE = "## How good the first pipeline is"
COLUMNS = (("table", 25), ("rows", 7), ("measure", 9), ("ours", 8), ("interval", 18), ("rule", 8), ("linear", 8), ("lin. all", 8), ("boosting", 8),
           ("init s", 7), ("run s", 7), ("verdict", 8), ("to all", 8), ("chosen", 0))


def number(value):
    return "-" if value is None or np.isnan(value) else f"{value:.4g}" if abs(value) >= 1 else f"{value:.4f}"


def heading():
    return " ".join(f"{name:<{width}}" if name in ("table", "chosen") else f"{name:>{width}}" for name, width in COLUMNS)


def cells(outcome):
    interval = "-" if np.isnan(outcome.low) else f"[{number(outcome.low)}, {number(outcome.high)}]"
    return (outcome.table, f"{outcome.rows:,}", outcome.measure, number(outcome.ours), interval, number(outcome.rule), number(outcome.linear),
            number(outcome.linear_all), number(outcome.boosting), *(("-" if np.isnan(s) else f"{s:.1f}") for s in (outcome.init_seconds, outcome.run_seconds)),
            outcome.verdict, outcome.verdict_all, outcome.chosen)


def line(outcome):
    text = " ".join(f"{cell:<{width}}" if name in ("table", "chosen") else f"{cell:>{width}}" for (name, width), cell in zip(COLUMNS, cells(outcome)))
    return "\n".join([text.rstrip()] + [f"    {remark}" for remark in outcome.remarks])


def summary(outcomes, seconds):
    counts = collections.Counter(outcome.verdict for outcome in outcomes)
    against_all = sum(outcome.verdict_all == "LOST" for outcome in outcomes)
    return (f"{len(outcomes)} tables in {seconds / 60:.0f} min: " + ", ".join(f"{counts[name]} {name}" for name in counts) +
            f"; {against_all} below a linear model on all rows so far")


def page_cells(outcome):
    table, rows, measure, ours, interval, rule, linear, linear_all, boosting, init, run, verdict, _, chosen = cells(outcome)
    return table, rows, measure, f"{ours} {interval}", rule, linear, linear_all, boosting, f"{init} s + {run} s", chosen, verdict


def section(outcomes, command):
    rows = ["| " + " | ".join(page_cells(outcome)) + " |" for outcome in outcomes if outcome.verdict != "left out"]
    return "\n".join([
        TITLE, "",
        "What `tidemill init` writes was run without a change, beside a linear model of scikit-learn (`LogisticRegression` or `Ridge`) that was",
        "trained at the same times and judged on the same later samples. The columns of its tables were prepared by hand: ids and",
        "counters left out, numbers standardised, categories as one-hot, times as cycles. *Same rows* has what the run's selection had;",
        "*all rows* has everything so far, as has gradient boosting (`HistGradientBoosting`). *Rule* is the best one without a model.",
        "*Above* and *LOST* are beyond the 95 % interval of ours. Measures are accuracy, where more is better, and mae, where less is.", "",
        f"```\n{command}\n```", "",
        "| table | rows | measure | ours | rule | linear, same rows | linear, all rows | boosting | init + run | chosen | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|---|", *rows, ""])


def replace_section(path, outcomes, options):
    """Puts the section in the place of the one before it, or in front of the second heading of the page."""
    command = "make first_pipeline" + (" TABLES=" + options.tables if options.tables else "") + (" QUICK=1" if options.quick else "")
    text, fresh = path.read_text(encoding="utf-8"), section(outcomes, command)
    if TITLE in text:
        text = re.sub(rf"(?ms)^{TITLE}$.*?(?=^## |\Z)", lambda _: fresh + "\n", text)
    else:
        second = [match.start() for match in re.finditer(r"(?m)^## ", text)][1]
        text = text[:second] + fresh + "\n" + text[second:]
    path.write_text(text, encoding="utf-8")
