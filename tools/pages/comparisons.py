"""The variants of a comparison of benchmarks/comparisons: what was measured of them, and the sentences about it in `page.yaml`."""
import dataclasses
import statistics
import sys

import yaml

from results import BENCHMARKS


@dataclasses.dataclass
class Variant:
    name: str
    runs: list  # as `tidemill bench report --json` tells them

    def mean(self, key):
        return statistics.mean(run[key] for run in self.runs)

    def values(self, key):
        return [run[key] for run in self.runs]


@dataclasses.dataclass
class Comparison:
    entry: str
    spec: dict  # the section of benchmark.yaml
    page: dict  # that of page.yaml: title, better, form, setting, verdict; None where another page says it all
    variants: list

    @property
    def measure(self):
        return self.spec["measure"]

    @property
    def higher(self):
        return self.page["better"] == "higher"

    def form(self, value):
        return self.page["form"].format(value)

    def verdict(self, figures):
        """The sentences about the figures, with the figures put in; none where a trial lacks one. figures: {variant: {key: value}}"""
        try:
            return "\n" + self.page["verdict"].rstrip().format_map(figures) + "\n"
        except KeyError:
            return ""

    def setting(self, **values):
        return self.page["setting"].rstrip().format(**values)


def read(results, name):
    """The comparisons of this name, by the names of their entries."""
    found = []
    for entry in sorted(results.report("comparisons"), key=lambda entry: entry["entry"]):
        variants = [Variant(one["variant"], one["runs"]) for one in entry["variants"] if one["comparison"] == name]
        if not variants:
            continue
        wrong = [problem for problem in entry["problems"] + entry["unlike"] if problem.startswith(name)]
        if wrong:
            sys.exit(f"{entry['entry']}: {wrong[0]}")
        folder = BENCHMARKS / "comparisons" / entry["domain"] / entry["entry"]
        spec = next(one for one in yaml.safe_load((folder / "benchmark.yaml").read_text())["comparisons"] if one["name"] == name)
        found.append(Comparison(entry["entry"], spec, yaml.safe_load((folder / "page.yaml").read_text()).get(name),
                                sorted(variants, key=lambda variant: variant.name)))
    return found


def cores(results, name):
    return results.cores([line for _, line in results.lines("comparisons") if line["case"].startswith(name + "/")])
