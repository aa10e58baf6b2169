"""docs/peers.md: other loaders on the same data, beside ours."""
import json

import results as measured
import svg

REASONS = measured.BENCHMARKS / "peers" / "reasons.json"
# The least ratio of our rate in process, by workload.
AIMS = {"criteo": 1, "jpeg": 2, "tenth": 1, "two": 1, "four": 1, "memory": 2, "disk": 2}
# Workloads where the processors' time counts as the rate does.
SHARED = ("two", "four")

HEAD = """# Beside other loaders

The same training set through Tidemill and through other loaders, from files on the local disk to tensors in the training's
process. `make peers` installs them in virtual environments of their own, measures, and writes this page from
`benchmarks/results/peers.json` (`make peers NAME=grain_loader` one of them, `QUICK=1` a small trial). The programs are in
[benchmarks/peers](../benchmarks/peers/README.md).

## How it is compared
- Tidemill in process: the training's own process reads, transforms and cuts batches, on as many threads as there are processors.
  Tidemill through a worker: one preprocessing worker makes the batches, and they come through shared memory. Both read what an
  ingest has registered, through a training set that is sealed.
- Each loader is set up as its own guide says to be fast, and may first convert the data to its own format: neither that nor our
  ingest is timed. Several settings are tried, all are in the table, and the fastest is the one that is compared.
- Turns: an epoch of ours in process, one of the loader's, one of ours through a worker, and again. The ratio is our rate over
  the loader's, turn by turn: the median, and in brackets the least and the greatest of {rounds} turns. Above 1 we are faster.
- What is delivered is checked: each record once, or each at most once of a tenth, with the numbers and buckets that follow from
  the file; each photograph within 4 levels of 255 of Pillow's, on average. Order is how far from its place in the file a
  record comes, on average, as a part of the file: 0.33 is a fully random order.
- Processor time is the sum over all processes of a side, services and workers among them, for one sample, in microseconds. It does not
  depend on who else runs, which a rate does.
- Trainings that share: each is a process, all begin an epoch at the same time, and the last one ends it. The rate is that of each training. The processors' time
  is that of all processes together for one sample of one training.
- Rows that are kept: the epochs that are compared come after three that keep rows and find them, all of which are checked. Ours keeps rows after the op that
  `training.cache: auto` chooses. On disk, what both sides keep is dropped from the page cache before each epoch.
- The hash of a peer is a product and a shift. Ours is XXH3, which costs more and spreads better.
- Measured on {cores}.

![our rate over each loader's](pictures/peers.svg)
"""

SHARED_TEXT = "{} trainings take batches of the same {{samples}} photographs as above in the same order at the same time. Each sample is prepared once for all of them."
KEPT_TEXT = "Later epochs over {{samples}} photographs as above, whose prepared rows are kept {}, in another random order each."

WORKLOADS = {
    "criteo": ("Records", "Records in the shape of the Criteo click logs, 160 bytes each, {samples} of them: the logarithms of one plus 13 numbers, buckets of a hash "
               "of 26 categories, a label. Batches of 8,192, in an order that is random over the whole file. A loader that takes more than 1.5 s for 131,072 of "
               "them reads no more than these.", "records/s"),
    "jpeg": ("Photographs", "{samples} JPEG files of 500 x 375 pixels: decoded, resized with antialiasing to 341 x 256, the middle 224 x 224 cut out, normalised, "
             "float32, channels first. Batches of 32, shuffled.", "images/s"),
    "tenth": ("A tenth of the records", "An epoch over a tenth of the {samples} records that is drawn at random for each epoch. Ours seals a new selection for each, and the drawing counts on all sides. Rates count the records that were delivered.", "records/s"),
    "two": ("Two trainings that share", SHARED_TEXT.format("Two"), "images/s"),
    "four": ("Four trainings that share", SHARED_TEXT.format("Four"), "images/s"),
    "memory": ("Photographs kept in memory", KEPT_TEXT.format("in memory"), "images/s"),
    "disk": ("Photographs kept on disk", KEPT_TEXT.format("on disk"), "images/s"),
}

TABLE = """
## {title}
{text}

| loader | its rate | its processor time, µs | order | ours in process over it | our processor time, µs | ours through a worker over it | our processor time, µs |
|---|---|---|---|---|---|---|---|
"""

ONE_WAY = """
## {title}
{text}

| loader | its rate | its processor time, µs | order | our rate over it | our processor time, µs | its processor time over ours |
|---|---|---|---|---|---|---|
"""


def number(value):
    return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value / 1e3:.3g} k" if value >= 1e4 else f"{value:,.0f}"


def microseconds(side):
    value = side["processor_us"]
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def of_workload(results, workload):
    """The entries that have figures, the fastest loader first."""
    entries = [entry for entry in results if entry["workload"] == workload and "error" not in entry]
    return sorted(entries, key=lambda entry: entry["local"]["ratio"])


def setting_of(setting):
    return ", ".join(f"{key} {value}" for key, value in setting.items())


def table(results, workload):
    entries = of_workload(results, workload)
    if not entries:
        return ""
    title, text, unit = WORKLOADS[workload]
    most = max(entry["samples"] for entry in entries)
    ways = [way for way in ("local", "worker") if way in entries[0]]
    made = (TABLE if len(ways) == 2 else ONE_WAY).format(title=title, text=text.format(samples=f"{most:,}"))
    for entry in entries:
        cells = [entry["title"], f"{number(entry['peer']['rate'])} {unit}", microseconds(entry["peer"]), f"{entry['order']:.2f}"]
        for way in ways:
            cells += [measured.ratio(entry[way]), microseconds(entry[way])]
        if len(ways) == 1:
            cells.append(measured.ratio(processor_ratio(entry)))
        made += f"| {' | '.join(cells)} |\n"
    rates = [sorted(entry[way]["rate"] for entry in entries) for way in ways]
    spans = [f"{name}{number(found[0])} to {number(found[-1])}" for name, found in zip(("in process ", "through a worker ") if len(ways) == 2 else ("",), rates)]
    made += f"\nOurs in these turns: {', '.join(spans)} {unit}.\n"
    return made + below(entries, workload)


def processor_ratio(entry):
    """Their processors' time over ours, as a ratio with its spread."""
    return {key: entry["local"][f"processor_{key}"] for key in ("ratio", "min", "max")}


def least(entry, workload):
    """What the aim is compared with."""
    rate = entry["local"]["ratio"]
    return min(rate, processor_ratio(entry)["ratio"]) if workload in SHARED else rate


def below(entries, workload):
    """The reasons for those that are not beaten by as much as we aim at."""
    aim = AIMS[workload]
    missed = [entry for entry in entries if least(entry, workload) < aim]
    times = "as fast as" if aim == 1 else f"{aim} times as fast as"
    ours = "Ours in process" if "worker" in entries[0] else "Ours"
    also = ", for at most as much of the processors' time" if workload in SHARED else ""
    if not missed:
        return f"\n{ours} is at least {times} each of them{also}.\n"
    reasons = json.loads(REASONS.read_text()).get(workload, {})
    by_reason = {}
    for entry in missed:
        reason = reasons.get(entry["name"], reasons.get("*", ""))
        by_reason.setdefault(reason, []).append(f"{entry['title']} ({least(entry, workload):.2f})")
    lines = "".join(f"- {'; '.join(names)}: {reason}.\n" for reason, names in by_reason.items())
    return f"\nThe aim is to be at least {times} each{also}. {ours} is below that beside these:\n\n{lines}"


def configurations(results):
    made = "\n## How each is set up\n\n| loader | versions | how | settings tried: samples a second; the fastest first |\n|---|---|---|---|\n"
    for name in sorted({entry["name"] for entry in results}):
        entries = [entry for entry in results if entry["name"] == name]
        versions = ", ".join(f"{package} {version}" for package, version in entries[0]["versions"].items())
        tried = []
        for entry in entries:
            for trial in sorted(entry.get("tried", []), key=lambda trial: -trial.get("rate", 0)):
                outcome = number(trial["rate"]) if "rate" in trial else f"failed: {plain(trial['error'])}"
                tried.append(f"{entry['workload']}, {setting_of(trial['setting'])}: {outcome}")
        made += f"| [{entries[0]['title']}]({entries[0]['guide']}) | {versions} | {entries[0]['how']} | {'; '.join(tried)} |\n"
    return made


def plain(text):
    return text.replace("|", "/").replace("\n", " ").replace("`", "'")


def failures(results):
    failed = [entry for entry in results if "error" in entry]
    if not failed:
        return ""
    lines = "".join(f"- {entry['title']}, {entry['workload']}: `{plain(entry['error'])}`\n" for entry in failed)
    return f"\n## What did not run\n\n{lines}"


def document(results):
    entries = results.load("peers.json")
    rounds = sorted({entry["rounds"] for entry in entries if "rounds" in entry})
    cores = sorted({entry["cores"] for entry in entries})
    text = HEAD.format(rounds=" or ".join(map(str, rounds)), cores="a machine with " + " or ".join(map(str, cores)) + " processors")
    return text + "".join(table(entries, workload) for workload in WORKLOADS) + configurations(entries) + failures(entries)


def panel_of(results, workload):
    entries = of_workload(results, workload)[::-1]
    panel = svg.Panel(WORKLOADS[workload][0], "our rate over theirs", "", 430, 60 + 24 * len(entries), x_log=True, y_names=[entry["title"] for entry in entries])
    for way, name, colour, shift in (("local", "in process", "#0a6ebd", 0.14), ("worker", "through a worker", "#c2570c", -0.14)):
        if way not in entries[0]:
            continue
        panel.add([(entry[way]["ratio"], at + shift) for at, entry in enumerate(entries)], colour, name,
                  spread=[(entry[way]["min"], entry[way]["max"]) for entry in entries], sideways=True)
    panel.rule(1)
    return panel


def pictures(results):
    entries = results.load("peers.json")
    return {"peers.svg": svg.picture([panel_of(entries, workload) for workload in WORKLOADS if of_workload(entries, workload)], 3)}
