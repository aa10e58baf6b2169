"""docs/policies.md: retraining policies, by what they cost and what they are worth."""
import comparisons
import results as measured
import svg

# What a trigger names, what it looks at, its colour; the first that fits.
KINDS = (
    (("performance", "detector", "cara", "budgeted", "debt", "forecast"), "looks at mistakes of the model", "#c2570c"),
    (("drift",), "looks at samples", "#2f8f4e"),
    (("",), "looks at times and counts", "#0a6ebd"),
)

HEAD = """# Retraining policies compared

What each [policy](guides/when-to-retrain.md) costs and what it is worth, on three datasets that change: a market, the fields of
science, the seasons. Every line is a run of a whole pipeline through all services. `make policies` measures and writes it all
(`make policies DATASET=elec2` one dataset, `QUICK=1` a small trial); this page is made of `benchmarks/results/comparisons` and
`benchmarks/comparisons` by `tools/pages`. `TIDEMILL_DATA` names the folder with the data, which the READMEs of
[the pipelines](../pipelines) describe.

## What is compared
- Within a dataset only the trigger differs. The first training waits for the same samples under every policy (an
  [ensemble](reference/triggers/ensemble.md) with `first`), so all start from the same model, bit by bit. That is checked, and
  that all were measured on the same samples.
- A training continues from the last model with the newest samples since the one before, up to a budget. Without one each sample is
  trained on once under any policy, and policies differ in the number of trainings alone; with it each training has its price.
- Each window is scored by the model in use when it began, which has seen nothing of it; the mean is over samples, from a time on
  when there is a model. A model that is trained within a window is used from the next one on.
- Samples trained is the sum over trainings (times epochs, the same for all): it is exact. Seconds are as measured on {cores},
  and more the more else it does. Training: the trainings alone. Deciding: the policy, and what it asks of the model in
  use. Run: all from submission to the last measured window, without the ingest.
- Means over seeds of the training, in brackets the least and the greatest where they differ. Another seed is another model, which
  policies that look at its mistakes or at seconds train at other times.
- Settings were chosen by hand so that most policies train about as often as each other. Thresholds of those that look at samples
  or mistakes were set after a trial on the same data, which flatters them: on new data they have to be found first.

Numbers are from the tables; `never` is left out, as it would hide the differences between the others.

![value by samples trained](pictures/policies.svg)
"""

RULES = {"constant": "always predicting the most frequent class or the mean known at each training", "last": "repeating the last label known"}


def seconds(variant, key):
    value = variant.mean(key)
    return f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}"


def ranked(comparison):
    """The best first."""
    return sorted(comparison.variants, key=lambda variant: variant.mean("value"), reverse=comparison.higher)


def baselines(comparison):
    """What rules without a model reach on the same samples; they depend little on when models are trained."""
    texts = []
    for name, rule in RULES.items():
        values = [run["baselines"][name] for variant in comparison.variants for run in variant.runs if name in run["baselines"]]
        if values:
            least, most = comparison.form(min(values)), comparison.form(max(values))
            texts.append(f"{rule} {least if least == most else f'{least} to {most}'}")
    return f"\nOn the same samples, {comparison.measure} without a model: {'; '.join(texts)}.\n" if texts else ""


def section(comparison):
    variants = ranked(comparison)
    seeds = sorted({len(variant.runs) for variant in variants})
    setting = comparison.setting(samples=variants[0].runs[0]["samples"], seeds=" or ".join(map(str, seeds)))
    rows = [(str(number), variant.name, measured.spread(variant.values("trainings"), "{:.0f}"), measured.spread(variant.values("samples_trained"), "{:,.0f}"),
             seconds(variant, "training_seconds"), seconds(variant, "deciding_seconds"), seconds(variant, "run_seconds"),
             measured.spread(variant.values("value"), comparison.page["form"])) for number, variant in enumerate(variants, 1)]
    heads = ("", "policy", "triggers", "samples trained", "training, s", "deciding, s", "run, s", comparison.measure)
    figures = {variant.name: {key: variant.mean(key) for key in ("value", "samples_trained", "training_seconds", "deciding_seconds")} for variant in variants}
    return (f"\n## {comparison.page['title']}\n{setting}\n\n" + measured.table(heads, rows) + baselines(comparison) +
            comparison.verdict(figures))


def settings(comparison):
    rows = [(variant["name"], f"`{variant['words']['TRIGGER']}`") for variant in sorted(comparison.spec["variants"], key=lambda variant: variant["name"])]
    return f"\n### The triggers of {comparison.entry}\n\n" + measured.table(("policy", "`trigger`"), rows)


def document(results):
    compared = comparisons.read(results, "policies")
    return (HEAD.format(cores=comparisons.cores(results, "policies")) + "".join(map(section, compared)) +
            "\n## The settings\n" + "".join(map(settings, compared)))


def best_so_far(comparison, variants):
    """The policies that no other beats with as few samples, by the number of samples."""
    front = []
    for variant in sorted(variants, key=lambda variant: variant.mean("samples_trained")):
        lead = variant.mean("value") - front[-1].mean("value") if front else 0
        if not front or (lead if comparison.higher else -lead) > 0:
            front.append(variant)
    return front


def panel_of(comparison):
    """Each policy by its number in the table, in the colour of what it looks at."""
    triggers = {variant["name"]: variant["words"]["TRIGGER"] for variant in comparison.spec["variants"]}
    panel = svg.Panel(comparison.page["title"], "samples trained", f"{comparison.measure} ({comparison.page['better']} is better)", 760, 330)
    shown = [(number, variant) for number, variant in enumerate(ranked(comparison), 1) if variant.name != "never"]
    point = lambda variant: (variant.mean("samples_trained"), variant.mean("value"))
    kind_of = lambda variant: next(kind for kind in KINDS if any(word in triggers[variant.name] for word in kind[0]))
    for kind, own in measured.grouped([variant for _, variant in shown], kind_of).items():
        panel.add(map(point, own), kind[2], kind[1], spread=[(min(variant.values("value")), max(variant.values("value"))) for variant in own])
    for number, variant in shown:
        panel.note(number, *point(variant))
    panel.add(map(point, best_so_far(comparison, [variant for _, variant in shown])), "#8a8f98", "the best with so few samples", "2 3", dots=False, step=True)
    return panel


def pictures(results):
    return {"policies.svg": svg.picture([panel_of(comparison) for comparison in comparisons.read(results, "policies")])}
