"""Fails when a part of a kind is named outside of its own files and its kind's list: the cards in CONTRIBUTING.md say
that a new part is its files and its line of the list. Fails, too, when no guide names a part, or no fuzz target an op.
"""
import pathlib
import re
import subprocess
import sys

# Kind: the headers of its parts, the file with the list, the interface.
KINDS = {
    "trigger": ("supervisor/triggers/**/*_trigger.h", "supervisor/triggers/trigger.cc", "supervisor/triggers/trigger.h"),
    "measure": ("evaluator/measures/**/*.h", "evaluator/measures/measures.cc", "evaluator/measures/measures.h"),
    "detector": ("supervisor/statistics/detectors/*.h", "supervisor/statistics/detectors/detector.cc",
                 "supervisor/statistics/detectors/detector.h"),
    "format": ("storage/spec/formats/*_format.h", "storage/spec/formats/format_list.h",
               "storage/spec/formats/file_format.h"),
    "op": ("transform/ops/**/*.h", "transform/ops/op_list.h", "transform/engine/graph_op.h"),
    "selection policy": ("selector/policies/**/*.h", "selector/policies/policy_list.h", "selector/client/selection_spec.h"),
    "downsampling method": ("trainer_server/downsampling/spec/*.h",
                            "trainer_server/downsampling/spec/method_list.h",
                            "models/training/downsampling_spec.h"),
    "network": ("models/spec/*.h", "models/spec/networks.h", "models/spec/model_spec.h"),
    "loss": ("models/training/losses/*.h", "models/training/losses/losses.h", "models/training/losses/loss_spec.h"),
    "optimizer": ("models/training/optimizers/*.h", "models/training/optimizers/optimizers.h",
                  "models/training/optimizers/optimizer_spec.h"),
    "order": ("models/training/orders/*.h", "models/training/orders/order_spec.cc",
              "models/training/orders/order_spec.h"),
    "schedule": ("models/training/schedules/*.h", "models/training/schedules/schedule_spec.cc",
                 "models/training/schedules/schedule_spec.h"),
}
# Parts that others build on, by the file that does.
BUILT_ON = {
    "AmountTrigger": {"supervisor/triggers/plain/decision_interval.h"},  # A warm-up is one of these two.
    "TimeTrigger": {"supervisor/triggers/plain/decision_interval.h"},
    # What the policy is useless for fills its own source.
    "DriftTrigger": {"supervisor/triggers/drift/drift_advice.cc"},
    # A policy that never votes, and so keeps an ensemble from firing.
    "NeverTrigger": {"supervisor/triggers/plain/ensemble_trigger.cc"},
    # A large one without sparse gradients is reported.
    "EmbeddingBag": {"supervisor/checks/advice.cc"},
    # What a plug-in does as a policy has its own header.
    "PluginTrigger": {"supervisor/triggers/plugin/plugin_policy.h", "supervisor/triggers/plugin/plugin_policy.cc"},
    "PluginSelection": {"selector/policies/plugin_chooser.h", "selector/policies/plugin_chooser.cc",
                        # A trial asks whether its weights claim something.
                        "selector/trials/selection_promises.cc"},
    # What a policy does that warms up is one of these two.
    "AllData": {"selector/policies/policy_list.cc"},
    "NewData": {"selector/policies/policy_list.cc"},
    # Limits and reservoirs that forget nothing draw uniformly, as does a plug-in's place where the pipeline says so.
    "Uniform": {"selector/policies/limit.cc", "selector/policies/reservoir.cc", "selector/policies/plugin_chooser.cc"},
    # A method that warms up, and a schedule that is asked for no trigger, leave nothing out.
    "NoDownsampling": {"trainer_server/downsampling/spec/method_list.cc",
                       "trainer_server/downsampling/methods/schedule.cc"},
    # A target is standardised by adding this op to a graph, and put back by what the op has learnt.
    "StandardizeSpec": {"transform/target_scale.cc"},
    # Raw columns of samples are read by a graph of these.
    "ParseCsvSpec": {"samples/sample_values.cc"},
    "ParseJsonSpec": {"samples/sample_values.cc"},
    "StackSpec": {"samples/sample_values.cc"},
    # The schedule that looks at losses: whoever has them asks it.
    "Plateau": {"models/training/schedules/schedule_spec.h", "models/training/schedules/warmup.h",
                "models/training/training_spec.cc", "trainer_server/training/pace/learning_rates.cc"},
    "Adam": {"models/training/optimizers/optimizer_spec.cc"},  # The optimiser of a training that names none.
}
# Where users, and fuzzing, find the parts of a kind by their types.
MENTIONS = {
    "trigger": ["docs/guides/when-to-retrain.md"],
    "measure": ["docs/guides/measure-models.md"],
    "format": ["docs/guides/bring-your-data.md"],
    "op": ["docs/guides/prepare-samples.md", "docs/guides/columns.md"],
    "selection policy": ["docs/guides/what-to-train-on.md"],
    "downsampling method": ["docs/guides/what-to-train-on.md"],
    "network": ["docs/guides/choose-a-model.md"],
    "loss": ["docs/guides/choose-a-model.md"],
    "optimizer": ["docs/guides/choose-a-model.md"],
    "order": ["docs/guides/choose-a-model.md"],
    "schedule": ["docs/guides/choose-a-model.md"],
    "detector": ["docs/guides/when-to-retrain.md"],
    # Kinds whose lists are variants.
    "drift statistic": ["docs/guides/when-to-retrain.md"],
    "criterion": ["docs/guides/when-to-retrain.md"],
}
VARIANTS = {"drift statistic": "supervisor/statistics/two_samples/drift_statistic.h",
            "criterion": "supervisor/triggers/criteria/criterion_spec.h"}
# "plugin" has its own guides, and "none" is what a pipeline has without a word.
MENTIONED_ELSEWHERE = {"plugin", "none"}
FUZZED_OPS = "tests/fuzz/ops_fuzz.cc"
# Programs of users run in their own processes.
FUZZED_ELSEWHERE = {"torchscript", "plugin"}

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
code = {name: re.sub(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", "", pathlib.Path(name).read_text())
        for name in files if pathlib.Path(name).exists()
        and not (name.endswith("_test.cc") or "/testing/" in name or name.startswith(("tests/", "benchmarks/")))}
problems, counted = [], {}
for kind, (headers, list_file, interface) in KINDS.items():
    room = headers.split("/")[0]
    for header in sorted(pathlib.Path().glob(headers)):
        for part in re.findall(r"struct (\w+)(?: : [\w:, <>]+)? \{\n  static constexpr std::string_view kType", header.read_text()):
            # Its source, too, which may be in another room.
            own = {name for name in code if pathlib.Path(name).stem == header.stem and name.startswith(room + "/")}
            own |= {list_file} | BUILT_ON.get(part, set())
            counted[kind] = counted.get(kind, 0) + 1
            # Other rooms name it with its namespace.
            named = re.compile(rf"(?<![\w:]){part}\b")
            elsewhere = re.compile(rf"\b{room}::{part}\b")
            for name, text in code.items():
                if name in own:
                    continue
                if (named if name.startswith(room + "/") else elsewhere).search(text):
                    problems.append(f"{name}: names the {kind} {part}; ask the interface in {interface} instead")
            if len(re.findall(rf"\b{part}\b", code[list_file])) != 1:
                problems.append(f"{list_file}: names {part} not once")
for kind, pages in MENTIONS.items():
    pages_text = "".join(pathlib.Path(page).read_text() for page in pages)
    headers = VARIANTS.get(kind) or KINDS[kind][0]
    types = {tag for header in pathlib.Path().glob(headers)
             for tag in re.findall(r'kType = "(\w+)"', header.read_text())}
    for tag in sorted(types - MENTIONED_ELSEWHERE):
        if not re.search(rf"(?<!\w){tag}(?!\w)", pages_text):
            problems.append(f"{pages[0]}: does not mention the {kind} {tag}")
    if kind == "op":
        fuzzed = pathlib.Path(FUZZED_OPS).read_text()
        problems += [f"{FUZZED_OPS}: has no case for the op {tag}" for tag in sorted(types - FUZZED_ELSEWHERE)
                     if f'{{"{tag}",' not in fuzzed]
print("\n".join(problems) or "kinds: " + ", ".join(f"{count} of kind {kind}" for kind, count in counted.items())
      + ", each named in its own files and its list alone")
sys.exit(bool(problems))
