"""docs/benchmarks.md: what pipelines must reach, the regret of policies, and triggers with selections.

`tidemill bench report --json` computes every figure from benchmarks/results/suite, over all seeds and of each seed alone; this
tests the differences between policies.
"""
import json
import pathlib
import statistics
import tempfile

import results as measured
import svg
from paired_differences import PairedDifference, Record, regret_difference
from results import counted

# They know nothing of the model, or are set by its errors on the first third: what a policy has to beat.
YARDSTICKS = ("never", "always", "uniform", "calendar, tuned", "cusum, tuned")

HEAD = """# The benchmark suite

Pipelines on data that really drifts, in six domains: what each must reach, and what each policy for retraining costs beside the best
that could have been done. `tidemill bench run` measures all of it, `tidemill bench report` shows it, and `make suite` does both
and writes this page from `benchmarks/results/suite` by `tools/pages`. `tidemill bench list` names the entries;
`tidemill bench fetch` looks for their data below `TIDEMILL_DATA`. `--budget 90m` measures what fits, and says what it leaves out; a run that was cut
continues where it was. How to add an entry: [benchmarks/suite](../benchmarks/suite/README.md). Other loaders beside ours:
[peers](peers.md). Policies with warm starts: [policies](policies.md); what to train on: [selections](selections.md).

## What the pipelines must reach

`tidemill bench run --parts runs`, measured on {machines}.

| domain | entry | check | value | bound | holds |
|---|---|---|---|---|---|
"""

REGRET = """
## When to retrain: the regret of policies

Time goes in windows. Before each, a policy trains a fresh model on what is known, at a price, or keeps the model in use:
`cost = price x trainings + sum of the errors`, per window. The price is in units of the error of one window: at 0.016, a training has
to save 1.6 points of accuracy in one window, or .16 in ten. The *oracle* knows all errors and takes the cheapest schedule
([how](../results/schedule_costs.h)); *regret* is what a policy costs more.

- One run trains a model at each cut of a grid and measures each on all windows; every policy is asked on these models by a
  backtest, with the decisions that a run would make. `make suite` needs one training for each cut and seed, whatever the number of policies.
- All begin with the model of the first cut. Settings are chosen on the first third of the windows, for each price; regret is computed on the other
  two thirds. `Use X when` below names the policy with the least regret there. X was not set by these windows, but it was picked by them
  as the best of some twenty, so its lead flatters.
- Differences are tested over seeds: of each seed, the regret of one policy less that of the other, at the same price; then the mean of these
  differences and its 95 % interval (Student's t: 4.3 standard errors to each side with three seeds, 2.8 with five). A lead is called *clear* when the interval leaves
  out 0. Three seeds were measured first, and then two more of every entry, to narrow the intervals. A seed changes the models and nothing
  else: the stream is the same, so the interval says nothing of another year, and nothing of X having been picked.
- Always beside: *never*, *always*, the *calendar, tuned* (every k windows), the *cusum, tuned* (the sum of the excess of the error over
  its level right after a training), and *uniform* (at random, as often as the calendar; the mean of 20 draws).
- In brackets the least and the greatest over the seeds. *A quarter* and *four times*: the regret of a policy that gets a price as a
  setting, when this price is wrong by that factor.

![regret by price](pictures/regret.svg)
"""

LEADS = """
### Does looking at the stream pay?

The best policy that looks at the stream, less the best yardstick (which looks at nothing, or at errors on the first third alone to set its own
period or threshold): below 0, the former is better. In brackets the 95 % interval over seeds.

| entry | seeds | price | looks at the stream | regret | yardstick | regret | difference | |
|---|---|---|---|---|---|---|---|---|
"""

RECORD = """
### One policy for all

Nothing is picked here: each policy beside the same two yardsticks, over all entries and prices on which both were tried. *Better* and *worse* count the pairs of entry and price
at which it clearly is (the 95 % interval over seeds leaves out 0); the rest is within chance. A policy with fewer pairs, below,
was tried on fewer entries, so its means do not compare with others'.

| policy | pairs | better than the calendar | worse | better than the CUSUM | worse | mean difference from the calendar | from the CUSUM |
|---|---|---|---|---|---|---|---|
"""

GRIDS = """
## When and on what: triggers x selections

Each cell is {runs} of a whole pipeline: the mean of the value over all judged samples, in brackets half the spread over the seeds, and the
number of trainings. All begin with the same first training and are judged on the same samples.
"""

GRID = """
### {entry}

`tidemill bench run {entry} --parts {comparison}`, {runs} a cell. {sentences}

"""


def regrets_by_seed(results):
    """{entry: {seed: {(policy, price): regret}}}: the report of the results of one seed after the other."""
    sweeps = measured.grouped([(name, line) for name, line in results.lines("suite") if line["case"].startswith("sweep/")], lambda one: one[1]["seed"])
    regrets = {}
    for seed, lines in sorted(sweeps.items()):
        with tempfile.TemporaryDirectory() as folder:
            for name, line in lines:
                (pathlib.Path(folder) / name).write_text(json.dumps(line) + "\n")
            for entry in results.report("suite", folder):
                if "regret" in entry:
                    regrets.setdefault(entry["entry"], {})[seed] = {(cost["policy"], cost["price"]): cost["regret"]["mean"]
                                                                    for cost in entry["regret"]["costs"]}
    return regrets


def machines(results):
    """What the results were measured with."""
    found = {f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, version {machine['version']}"
             for machine in (line["machine"] for _, line in results.lines("suite"))}
    return "; ".join(sorted(found))


def number(value):
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def checks(entries):
    text = ""
    for entry in entries:
        for check in entry["checks"]:
            value = check.get("why_not", "not measured") if check["value"] is None else number(check["value"])
            holds = "yes" if check["holds"] else "not measured" if check["value"] is None else "**no**"
            text += f"| {entry['domain']} | [{entry['entry']}](../benchmarks/suite/{entry['domain']}/{entry['entry']}/README.md) | {check['name']} | {value} | {check['bound']} | {holds} |\n"
    return text


def spread(value, scale=1):
    texts = [f"{value[key] * scale:.4f}" for key in ("mean", "low", "high")]
    return texts[0] if texts[1] == texts[2] else f"{texts[0]} ({texts[1]} to {texts[2]})"


def by_policy(regret):
    """The figures of each policy, one for each price, the best policy over all prices first."""
    policies = {}
    for cost in regret["costs"]:
        policies.setdefault(cost["policy"], {})[cost["price"]] = cost
    return dict(sorted(policies.items(), key=lambda one: statistics.mean(cost["regret"]["mean"] for cost in one[1].values())))


def winners(regret):
    """The policy with the least regret, price by price; neighbours with the same are one span."""
    spans = []
    for oracle in regret["oracle"]:
        at = [cost for cost in regret["costs"] if cost["price"] == oracle["price"]]
        best = min(at, key=lambda cost: cost["regret"]["mean"])
        if spans and spans[-1][0]["policy"] == best["policy"]:
            spans[-1].append(best)
        else:
            spans.append([best])
    return spans


def best(regret, price, yardsticks):
    """The policy with the least regret at a price, among yardsticks or all others."""
    at = [cost for cost in regret["costs"] if cost["price"] == price and (cost["policy"] in YARDSTICKS) == yardsticks]
    return min(at, key=lambda cost: cost["regret"]["mean"], default=None)


def span_text(span):
    first, last = span[0]["price"], span[-1]["price"]
    return f"a training costs {first:g}" if first == last else f"a training costs {first:g} to {last:g}"


def verdict(regret, seeds):
    """When to use what, in sentences that the held-back part bears out."""
    sentences = []
    for span in winners(regret):
        middle = span[len(span) // 2]
        price, name = middle["price"], middle["policy"]
        other = best(regret, price, name not in YARDSTICKS)
        text = f"Use `{name}` when {span_text(span)}: regret {spread(middle['regret'])}"
        if other:
            difference = regret_difference(seeds, price, other["policy"], name)
            what = "the best policy that looks at the stream" if name in YARDSTICKS else "the best yardstick"
            text += f"; {what}, `{other['policy']}`, has {spread(other['regret'])}, a difference of {difference}, {difference.verdict()}"
        sentences.append(text + f" (at {price:g}).")
    return " ".join(sentences)


def lead_of(difference):
    """What a difference says about looking at the stream."""
    if difference.half is None:
        return "one seed"
    if not difference.clear():
        return "within chance"
    return "**the yardstick**" if difference.mean > 0 else "looking pays"


def leads(swept, by_seed):
    text, counts = LEADS, {}
    for entry in swept:
        seeds = by_seed[entry["entry"]]
        for price in (oracle["price"] for oracle in entry["regret"]["oracle"]):
            looks, blind = (best(entry["regret"], price, kind) for kind in (False, True))
            if not looks:
                continue
            difference = regret_difference(seeds, price, looks["policy"], blind["policy"])
            counts[lead_of(difference)] = counts.get(lead_of(difference), 0) + 1
            text += (f"| {entry['entry']} | {len(seeds)} | {price:g} | {looks['policy']} | {looks['regret']['mean']:.4f} | {blind['policy']} | {blind['regret']['mean']:.4f} "
                     f"| {difference} | {lead_of(difference)} |\n")
    return text + leads_summary(swept, counts)


def leads_summary(swept, counts):
    """Where rules that look at nothing are the best, plainly."""
    names = {"looking pays": "looking at the stream is clearly better", "**the yardstick**": "the yardstick is clearly better",
             "within chance": "the difference is within chance", "one seed": "one seed tests nothing"}
    told = "; ".join(f"{text} in {counts[key]}" for key, text in names.items() if key in counts)
    first = {}
    for entry in swept:
        for price in (oracle["price"] for oracle in entry["regret"]["oracle"]):
            looks, blind = (best(entry["regret"], price, kind) for kind in (False, True))
            if not looks or blind["regret"]["mean"] <= looks["regret"]["mean"]:
                first.setdefault(blind["policy"], {}).setdefault(entry["entry"], []).append(f"{price:g}")
    where = "; ".join(f"`{policy}` on " + ", ".join(f"{entry} (at {', '.join(prices)})" for entry, prices in own.items()) for policy, own in sorted(first.items()))
    return f"\nBy pairs of entry and price, {sum(counts.values())} in all: {told}. A yardstick has the least regret of all: {where or 'nowhere'}.\n"


def records(by_seed):
    names = sorted({policy for seeds in by_seed.values() for regrets in seeds.values() for policy, _ in regrets})
    rows = {name: [Record(by_seed, name, yardstick) for yardstick in ("calendar, tuned", "cusum, tuned")] for name in names}
    text = RECORD
    most = max(len(calendar.differences) for calendar, _ in rows.values())
    for name, (calendar, cusum) in sorted(rows.items(), key=lambda row: (len(row[1][0].differences) < most, row[1][0].mean)):
        text += f"| {name} | {len(calendar.differences)} | {calendar.better()} | {calendar.worse()} | {cusum.better()} | {cusum.worse()} | {calendar.mean:+.4f} | {cusum.mean:+.4f} |\n"
    return text


def regret_table(regret):
    prices = [oracle["price"] for oracle in regret["oracle"]]
    text = "| policy | " + " | ".join(f"{price:g}" for price in prices) + " | trainings | a quarter | four times |\n"
    text += "|---" * (len(prices) + 4) + "|\n"
    text += "| *oracle, its cost* | " + " | ".join(f"*{spread(oracle['cost'])}*" for oracle in regret["oracle"]) + " | | | |\n"
    for policy, costs in by_policy(regret).items():
        cells = [spread(costs[price]["regret"]) if price in costs else "" for price in prices]
        trainings = sorted({round(cost["trainings"], 1) for cost in costs.values()})
        told = [" / ".join(f"{cost[key]:.4f}" for cost in costs.values() if key in cost) for key in ("told_a_quarter", "told_four_times")]
        text += f"| {policy} | " + " | ".join(cells) + f" | {trainings[0]:g}" + (f" to {trainings[-1]:g}" if len(trainings) > 1 else "") + f" | {told[0]} | {told[1]} |\n"
    return text


def settings_table(regret):
    text = "| policy | setting, price by price |\n|---|---|\n"
    for policy, costs in by_policy(regret).items():
        settings = [cost["setting"] for cost in costs.values()]
        if any(settings):
            text += f"| {policy} | {settings[0] if len(set(settings)) == 1 else ' / '.join(settings)} |\n"
    return text


def regret_section(entry, seeds):
    regret = entry["regret"]
    left_out = f" {regret['left_out']} windows in which a model has no value are left out." if regret["left_out"] else ""
    text = f"\n### {entry['entry']}\n\n{verdict(regret, seeds)}\n\n"
    text += (f"{regret['windows']} windows, judged from the {measured.ordinal(regret['judged_from'] + 1)} on; {counted(len(regret['seeds']), 'seed')}.{left_out} "
             "Regret by price of a training:\n\n")
    text += regret_table(regret)
    off = sorted({cost["policy"] for cost in regret["costs"] if cost["off_grid"]})
    if off:
        text += f"\nTriggers of {', '.join(off)} are partly between cuts of the grid; the model of the cut before is used for these.\n"
    for failed in entry["failed"]:
        text += f"\nNot tried: {failed}\n"
    return text + "\n<details><summary>Settings</summary>\n\n" + settings_table(regret) + "\n</details>\n"


def cells_of(entry, comparison):
    """{(row, column): the runs over seeds}"""
    cells = {}
    for variant in entry["variants"]:
        if variant["comparison"] == comparison and " x " in variant["variant"]:
            row, column = variant["variant"].split(" x ", 1)
            cells[row, column] = variant["runs"]
    return cells


def value_of(runs):
    return statistics.mean(run["value"] for run in runs)


def seeds_of(entry, comparison):
    return max(len(runs) for runs in cells_of(entry, comparison).values())


def comparisons_of(entry):
    return sorted({variant["comparison"] for variant in entry["variants"]})


def variants_section(entry, comparison):
    text = f"\n### {entry['entry']}: {comparison}\n\n`tidemill bench run {entry['entry']} --parts {comparison}`\n\n"
    text += "| variant | value | trainings | samples trained | selecting, s | training, s | run, s |\n|---|---|---|---|---|---|---|\n"
    own = [variant for variant in entry["variants"] if variant["comparison"] == comparison]
    for variant in own:
        mean = {key: statistics.mean(run[key] for run in variant["runs"]) for key in variant["runs"][0]}
        values = [run["value"] for run in variant["runs"]]
        text += (f"| {variant['variant']} | {number(mean['value'])} ({number(min(values))} to {number(max(values))}) | {mean['trainings']:.1f} "
                 f"| {mean['samples_trained']:,.0f} | {mean['selecting_seconds']:.2f} | {mean['training_seconds']:.2f} | {mean['run_seconds']:.1f} |\n")
    return text


def by_seed_of(runs):
    return {run["seed"]: run["value"] for run in runs}


def grid_sentences(cells):
    """The best cell, whether it is clearly better than the first one, and whether rows or columns matter more."""
    best_cell, first = max(cells, key=lambda cell: value_of(cells[cell])), next(iter(cells))
    text = f"Best: `{best_cell[0]}` on `{best_cell[1]}`, {value_of(cells[best_cell]):.4f}"
    if best_cell != first:
        difference = PairedDifference(by_seed_of(cells[best_cell]), by_seed_of(cells[first]))
        text += f"; `{first[0]}` on `{first[1]}` has {value_of(cells[first]):.4f}, a difference of {difference}, {difference.verdict()}"
    ranges = []
    for place in (0, 1):
        means = [statistics.mean(value_of(runs) for cell, runs in cells.items() if cell[place] == name) for name in dict.fromkeys(cell[place] for cell in cells)]
        ranges.append(max(means) - min(means))
    return text + f". The means of rows (triggers) differ by up to {ranges[0]:.4f}, those of columns (selections) by up to {ranges[1]:.4f}."


def cell_text(runs):
    values = [run["value"] for run in runs]
    half = (max(values) - min(values)) / 2
    return f"{statistics.mean(values):.3f}" + (f" (± {half:.3f})" if len(values) > 1 else "") + f", {statistics.mean(run['trainings'] for run in runs):.0f}"


def grid_section(entry, comparison):
    cells = cells_of(entry, comparison)
    rows, columns = (list(dict.fromkeys(cell[place] for cell in cells)) for place in (0, 1))
    text = GRID.format(runs=counted(seeds_of(entry, comparison), "run"), entry=entry["entry"], comparison=comparison, sentences=grid_sentences(cells))
    return text + measured.table(("trigger", *columns), [[row] + [cell_text(cells[row, column]) if (row, column) in cells else "" for column in columns] for row in rows])


def grids(entries):
    return [(entry, comparison) for entry in entries for comparison in comparisons_of(entry) if cells_of(entry, comparison)]


def document(results):
    entries = results.report("suite")
    by_seed = regrets_by_seed(results)
    text = HEAD.format(machines=machines(results)) + checks(entries)
    swept = [entry for entry in entries if "regret" in entry]
    if swept:
        text += REGRET + leads(swept, by_seed) + records(by_seed) + "".join(regret_section(entry, by_seed[entry["entry"]]) for entry in swept)
    if grids(entries):
        text += GRIDS.format(runs=" or ".join(sorted({counted(seeds_of(*grid), "run") for grid in grids(entries)})))
    text += "".join(grid_section(*grid) for grid in grids(entries))
    for entry in entries:
        text += "".join(variants_section(entry, comparison) for comparison in comparisons_of(entry) if not cells_of(entry, comparison))
    problems = [f"- {entry['entry']}: {problem}\n" for entry in entries for problem in entry["problems"] + entry["unlike"]]
    return text + ("\n## What could not be computed\n\n" + "".join(problems) if problems else "")


COLOURS = {"always": "#8a8f98", "uniform": "#b8bcc4", "calendar, tuned": "#0a6ebd", "cusum, tuned": "#c2570c"}
OTHERS = ("#2f8f4e", "#8b4fb5", "#b5484f", "#7a6a1f", "#1f8a99")


def panel_of(entry):
    policies = by_policy(entry["regret"])
    looking = [name for name in policies if name not in YARDSTICKS][:len(OTHERS)]
    panel = svg.Panel(entry["entry"], "price of a training", "regret per window", 520, 290, x_log=True)
    for name in (*YARDSTICKS, *looking):
        if name == "never" or name not in policies:
            continue
        regrets = [(price, cost["regret"]) for price, cost in policies[name].items()]
        panel.add([(price, regret["mean"]) for price, regret in regrets], COLOURS.get(name) or OTHERS[looking.index(name)], name,
                  "2 3" if name in YARDSTICKS else "solid", dots=name not in YARDSTICKS, spread=[(regret["low"], regret["high"]) for _, regret in regrets])
    return panel


def pictures(results):
    swept = [entry for entry in results.report("suite") if "regret" in entry]
    return {"regret.svg": svg.picture(list(map(panel_of, swept)), 2)} if swept else {}
