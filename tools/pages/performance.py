"""docs/performance.md: rates beside the best that is known to be possible."""
import json
import re
import statistics

import comparisons
import results as measured
import svg

HEAD = """# Performance

What Tidemill does, beside the best that is known to be possible. Each figure is a program under `benchmarks/` that measures us
and a yardstick in one run, in turn, and checks what was read. The ratio is ours over the yardstick's, pair by pair, so a
machine that drifts does to one what it does to the other: the median, and in brackets the least and the greatest. Higher is
better. A slow yardstick would be no win, so its own rate is shown beside it.

`make bench` measures all of it, `make bench NAME=ingest_vs_copy` one figure, `make bench SCALE=1` the curve. This page is made of
`benchmarks/results/` by `tools/pages`.

## Figures
Records of 160 bytes, a label among them; sizes as the descriptions say, 10^7 samples in the dataset where they say nothing.
{machine}

| figure | ratio | aim | ours | yardstick |
|---|---|---|---|---|
"""

CURVE = """
## The curve
The same figures with datasets of 10^5, 10^6 and 10^7 samples (`make bench SCALE=1`). The seconds are those for as many samples as
the dataset has, at the rate measured: cost that grows in proportion makes lines as steep as the dotted one. Growth is by what
factor these seconds are more than those of the smallest dataset; in proportion is the factor in brackets. What costs the same at
any size, as the restart of storage that each list follows and the transactions of an ingest, shows at the small end.

![seconds by samples](pictures/performance_scale.svg)

| figure | samples | ratio | ours | seconds | growth | yardstick | seconds |
|---|---|---|---|---|---|---|---|
"""

BELOW = """
## Below the aim
Why, as far as a profiler tells.

"""

SLOWER = """
## At another speed of memory
The ratio of a figure depends on the machine's memory where one side works more for each sample and the other waits more for
memory. These were measured earlier, by versions of their time, on machines of the same kind whose memory was slower at that hour
(`benchmarks/results/slower_memory.json`); beside them are the figures from above.

| figure | `memcpy` then | ratio then | ours then | yardstick then | `memcpy` | ratio | ours | yardstick |
|---|---|---|---|---|---|---|---|---|
"""

DOWNSAMPLING = """
## Trainings that leave samples out
A training of the [convnet](../pipelines/fashion_mnist/README.md) on all 60,000 images of Fashion-MNIST, 5 epochs from a fresh
initialisation, with [downsampling](guides/what-to-train-on.md) to a tenth in each epoch: the whole stage, with the start of its
process, reading, scoring, choosing and handing over. Methods took turns, each turn with another seed; the gain is the median over
turns of full / method, in brackets the least and the greatest; accuracy is that on the 10,000 test images with its standard error.
`tidemill bench run --suite benchmarks/comparisons --parts downsampling` measures it.

| method | seconds | times as fast | accuracy |
|---|---|---|---|
"""

PAIRWISE = """
## Choosing from 10^8 samples
Pairwise selection ([subsets/pairwise](../subsets/pairwise/README.md)) of a tenth of an implicit graph: every node has a utility and
{neighbors} neighbours, whose cosines are computed from embeddings when they are asked for, by {workers} worker processes. Memory is the
greatest sum of RssAnon over the process that leads and all workers, looked at every 50 ms; the list of what is chosen would take
eight bytes a sample. Processor seconds are summed over all processes; the seconds that passed include what others did on the same two
cores, which were busy, more so with 16 rounds. A number of partitions that does not grow lets parts grow beyond the caches of a
processor, which is why a sample costs more in larger graphs at alpha 0.5, where bounds decide nothing.

The greedy algorithm on all nodes in one process is the yardstick of the objective: as a plain ratio, and as the share of the
way there from a random subset's objective, which is the stricter of the two. `make nightly` holds the latter to 98 % at 10^6.

| alpha | samples | chosen | partitions, rounds | seconds | processor seconds | a sample | memory | list of the chosen | decided by bounds | objective | random subset | greedy on all | ratio | of the way |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""

GPU = """
## On a GPU
`make gpu_test`, on a machine with a card: the training loop beside processors, twice, with a path that is too slow, without enough
memory, in the sandbox, and killed ([Train on GPUs](guides/gpus.md#test-a-machine)). What it prints is kept in
`benchmarks/results/gpu.txt`.

"""

NO_GPU = """No card was available where Tidemill is developed. The program is tried there on processors (`make gpu_test PRETEND=1`), and devices
are pretended in tests.
"""

PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def number(value):
    for limit, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g} "


def rate(value, unit):
    return f"{number(value)}{unit}".replace("  ", " ")


def milliseconds(result, side):
    """What one time takes, of a figure that counts times a second."""
    return f"{1000 / times_per_second(result, side):.3g} ms"


def times_per_second(result, side):
    prefix, what = re.fullmatch(r"([kMG]?) ?(\w+)/s", result["unit"]).groups()
    return result[side] * PREFIXES[prefix]


def row(figure, result):
    """A line of the table of figures. Where `aim_milliseconds` is set, a figure is a time and not a rate."""
    aim = "" if figure["target"] is None else f"{figure['target']:g}"
    measured = [ratio(result), aim, rate(result["ours"], result["unit"]), rate(result["yardstick"], result["unit"])]
    if "aim_milliseconds" in figure:
        ours, yardstick = (milliseconds(result, side) for side in ("ours", "yardstick"))
        aim = figure["aim_milliseconds"]
        measured = [f"takes {ours} (n={result['repetitions']})", f"{aim:g} ms at most" if aim else "", ours, yardstick]
    return (f"| `{figure['name']}` | {measured[0]} | {measured[1]} "
            f"| {figure['ours']}: {measured[2]} | {figure['yardstick']}: {measured[3]} |\n")


def ratio(result):
    text = f"{measured.ratio(result)[:-1]}, n={result['repetitions']})"
    if result["max"] / result["min"] > 1.3:
        text += ", unsteady"
    return text


def two_speeds(slower, latest):
    """The lines of SLOWER."""
    lines = ""
    for earlier in slower:
        now = latest.get(earlier["name"])
        if not now:
            continue
        cells = [cell for result in (earlier, now)
                 for cell in (f"{result['memcpy_gbps']:.1f} GB/s", ratio(result), rate(result["ours"], result["unit"]),
                              rate(result["yardstick"], result["unit"]))]
        lines += f"| `{now['name']}` | " + " | ".join(cells) + " |\n"
    return SLOWER + lines if lines else ""


def points_of(figure, scale):
    """The results of a figure by size of the dataset."""
    return sorted((result for result in scale if result["name"] == figure["name"]), key=lambda result: result["samples"])


def seconds(figure, result, side):
    """What as many samples as the dataset has take at the rate of a side."""
    per_second = times_per_second(result, side)
    if result["unit"].endswith("B/s"):
        per_second /= figure["bytes_per_sample"]
    return result["samples"] / per_second


def figures_of():
    return json.loads((measured.BENCHMARKS / "figures.json").read_text())


def below(figures, by_name):
    missed = [figure for figure in figures
              if (result := by_name.get(figure["name"])) and figure.get("below") and result["ratio"] < figure["target"]]
    return BELOW + "".join(f"- `{figure['name']}`: {figure['below']}\n" for figure in missed) if missed else ""


def curve(figures, scale):
    text = CURVE if scale else ""
    for figure in figures:
        points = points_of(figure, scale)
        for point in points:
            growth = seconds(figure, point, "ours") / seconds(figure, points[0], "ours")
            text += (f"| `{point['name']}` | {point['samples']:,} | {ratio(point)} "
                     f"| {rate(point['ours'], point['unit'])} | {seconds(figure, point, 'ours'):.3g} "
                     f"| {growth:.3g} ({point['samples'] / points[0]['samples']:g}) "
                     f"| {rate(point['yardstick'], point['unit'])} | {seconds(figure, point, 'yardstick'):.3g} |\n")
    return text


def document(results):
    figures = figures_of()
    by_name = {result["name"]: result for result in results.load("latest.json")}
    copies = sorted(result["memcpy_gbps"] for result in by_name.values())
    machine = f"One `memcpy` of 256 MiB ran at {copies[len(copies) // 2]:.1f} GB/s on the machine that measured." if copies else ""
    text = HEAD.format(machine=machine) + "".join(row(figure, by_name[figure["name"]]) for figure in figures if figure["name"] in by_name)
    return (text + below(figures, by_name) + two_speeds(results.load("slower_memory.json"), by_name) + curve(figures, results.load("scale.json")) +
            pairwise(results.load("pairwise.json")) + downsampling(results) + on_a_gpu(results.folder / "gpu.txt"))


def on_a_gpu(printed):
    return GPU + (f"```\n{printed.read_text().strip()}\n```\n" if printed.exists() else NO_GPU)


def duration(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def pairwise(points):
    """The section on selection at scale."""
    if not points:
        return ""
    first = points[0]
    text = PAIRWISE.format(**{key: first[key] for key in ("neighbors", "workers")})
    for point in sorted(points, key=lambda point: (-point["alpha"], -point["partitions"], point["nodes"])):
        decided = 1 - point["undecided"] / point["nodes"]
        held_against = "| | | "
        if "central_objective" in point:
            held_against = f"| {point['central_objective']:,.0f} | {point['ratio']:.2%} | {point['normalised']:.2%} "
        text += (f"| {point['alpha']:g} | {point['nodes']:,} | {point['chosen']:,} "
                 f"| {point['partitions']}, {point['max_rounds']} | {duration(point['seconds'])} | {duration(point['processor_seconds'])} "
                 f"| {1e6 * point['processor_seconds'] / point['nodes']:.2g} µs "
                 f"| {point['rss_anon'] / 1e6:,.0f} MB | {8 * point['chosen'] / 1e6:,.1f} MB | {decided:.1%} "
                 f"| {point['objective']:,.0f} | {point['random_objective']:,.0f} {held_against}|\n")
    return text


def downsampling(results):
    """The section on trainings that leave samples out."""
    compared = comparisons.read(results, "downsampling")
    if not compared:
        return ""
    methods = {variant.name: {run["seed"]: run for run in variant.runs} for variant in compared[0].variants}
    text = DOWNSAMPLING
    for name in (variant["name"] for variant in compared[0].spec["variants"]):
        runs = methods[name]
        gains = [run["training_seconds"] / runs[seed]["training_seconds"] for seed, run in methods["full"].items() if seed in runs]
        seconds_of_runs, accuracies = ([run[key] for run in runs.values()] for key in ("training_seconds", "value"))
        text += (f"| {name} | {statistics.median(seconds_of_runs):.2f} "
                 f"| {statistics.median(gains):.2f} ({min(gains):.2f} to {max(gains):.2f}) "
                 f"| {statistics.mean(accuracies):.4f} ± {measured.standard_error(accuracies):.4f} ({len(runs)} seeds) |\n")
    return text


def panel_of(figure, points):
    panel = svg.Panel(figure["name"], "samples in the dataset", "seconds for as many", 330, 230, x_log=True, y_log=True)
    sizes = [point["samples"] for point in points]
    ours = [seconds(figure, point, "ours") for point in points]
    panel.add(zip(sizes, [seconds(figure, point, "yardstick") for point in points]), "#8a8f98", "yardstick", "5 3")
    panel.add(zip(sizes, ours), "#0a6ebd", "ours", "solid")
    panel.add([(size, ours[-1] * size / sizes[-1]) for size in sizes], "#333333", "in proportion", "2 3", dots=False)
    return panel


def pictures(results):
    scale = results.load("scale.json")
    shown = [panel_of(figure, points) for figure in figures_of() if (points := points_of(figure, scale))]
    return {"performance_scale.svg": svg.picture(shown, 3)} if shown else {}
