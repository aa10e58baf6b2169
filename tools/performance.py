#!/usr/bin/env python3
"""Makes docs/performance.md, and its picture, of what tools/bench.py measured.

tools/performance.py [--check]

--check: only says whether the document is what the figures give.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "pictures" / "performance_scale.svg"

HEAD = """# Performance

What Tidemill does, beside the best that is known to be possible. Each figure is a program under `benchmarks/` that measures us
and a yardstick in one run, in turn, and checks what was read. The ratio is ours over the yardstick's, pair by pair, so a
machine that drifts does to one what it does to the other: the median, and in brackets the least and the greatest. Higher is
better. A slow yardstick would be no win, so its own rate stands beside it.

`make bench` measures all of it, `make bench NAME=ingest_vs_copy` one figure, `make bench SCALE=1` the curve. This page is made of
`benchmarks/results/` by `tools/performance.py`.

## Figures
Records of 160 bytes, a label among them; sizes as the descriptions say, 10^7 samples in the dataset where they say nothing.
{machine}

| figure | ratio | aim | ours | yardstick |
|---|---|---|---|---|
"""

CURVE = """
## The curve
The same figures with datasets of 10^5, 10^6 and 10^7 samples (`make bench SCALE=1`): cost grows in proportion, and what is read
does not get dearer because there is more that is not read.

![rates by size](pictures/performance_scale.svg)

| figure | samples | ratio | ours | yardstick |
|---|---|---|---|---|
"""


def number(value):
    for limit, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g} "


def rate(value, unit):
    return f"{number(value)}{unit}".replace("  ", " ")


def ratio(result):
    text = f"{result['ratio']:.2f} ({result['min']:.2f} to {result['max']:.2f}, n={result['repetitions']})"
    if result["max"] / result["min"] > 1.3:
        text += ", unsteady"
    return text


def load(name):
    file = ROOT / "benchmarks" / "results" / name
    return json.loads(file.read_text()) if file.exists() else []


def document(figures, latest, scale):
    by_name = {result["name"]: result for result in latest}
    copies = sorted(result["memcpy_gbps"] for result in latest)
    machine = f"One `memcpy` of 256 MiB ran at {copies[len(copies) // 2]:.1f} GB/s on the machine that measured." if copies else ""
    text = HEAD.format(machine=machine)
    for figure in figures:
        result = by_name.get(figure["name"])
        if not result:
            continue
        aim = "" if figure["target"] is None else f"{figure['target']:g}"
        text += (f"| `{figure['name']}` | {ratio(result)} | {aim} "
                 f"| {figure['ours']}: {rate(result['ours'], result['unit'])} "
                 f"| {figure['yardstick']}: {rate(result['yardstick'], result['unit'])} |\n")
    if scale:
        text += CURVE
        for figure in figures:
            for result in scale:
                if result["name"] == figure["name"]:
                    text += (f"| `{result['name']}` | {result['samples']:,} | {ratio(result)} "
                             f"| {rate(result['ours'], result['unit'])} | {rate(result['yardstick'], result['unit'])} |\n")
    return text


def draw(figures, scale):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"svg.hashsalt": "tidemill", "font.size": 9})
    names = [figure["name"] for figure in figures if any(result["name"] == figure["name"] for result in scale)]
    rows = (len(names) + 2) // 3
    canvas, panels = pyplot.subplots(rows, 3, figsize=(10, 2.9 * rows), squeeze=False)
    for panel in panels.flat[len(names):]:
        panel.axis("off")
    for panel, name in zip(panels.flat, names):
        points = sorted((result for result in scale if result["name"] == name), key=lambda result: result["samples"])
        sizes = [point["samples"] for point in points]
        panel.plot(sizes, [point["yardstick"] for point in points], "o--", color="#8a8f98", label="yardstick")
        panel.plot(sizes, [point["ours"] for point in points], "o-", color="#0a6ebd", label="ours")
        panel.set_xscale("log")
        panel.set_ylim(bottom=0)
        panel.set_title(name)
        panel.set_xlabel("samples in the dataset")
        panel.set_ylabel(points[0]["unit"])
        panel.grid(alpha=0.3)
        panel.legend()
    canvas.tight_layout()
    canvas.savefig(PICTURE, metadata={"Date": None})


def main():
    figures = json.loads((ROOT / "benchmarks" / "figures.json").read_text())
    scale = load("scale.json")
    text = document(figures, load("latest.json"), scale)
    if sys.argv[1:] == ["--check"]:
        if DOCUMENT.exists() and DOCUMENT.read_text() == text:
            return
        sys.exit("docs/performance.md is not what benchmarks/results/ gives; run tools/performance.py")
    DOCUMENT.write_text(text)
    if scale:
        draw(figures, scale)


if __name__ == "__main__":
    main()
