"""Fails when a part of a kind is named outside of its own files and its kind's list: the cards in CONTRIBUTING.md say
that a new part is its files and two lines of the list.
"""
import pathlib
import re
import subprocess
import sys

# Kind: the headers of its parts, the file with the list and, where specs and behaviour are in two rooms, the folder of the
# sources of the behaviour, which have the names of the headers.
KINDS = {
    "trigger": ("supervisor/triggers/*_trigger.h", "supervisor/triggers/trigger.cc"),
    "measure": ("evaluator/measures/*.h", "evaluator/measures/measures.cc"),
    "network": ("models/spec/*.h", "models/spec/networks.h", "models/networks"),
    "loss": ("models/training/losses/*.h", "models/training/losses/losses.h", "models/losses"),
    "optimizer": ("models/training/optimizers/*.h", "models/training/optimizers/optimizers.h", "models/optimizers"),
    "order": ("models/training/orders/*.h", "models/training/orders/order_spec.cc"),
    "schedule": ("models/training/schedules/*.h", "models/training/schedules/schedule_spec.cc"),
}
# Parts that others build on, by the file that does.
BUILT_ON = {
    "AmountTrigger": {"supervisor/triggers/decision_interval.h"},  # A warm-up is one of these two.
    "TimeTrigger": {"supervisor/triggers/decision_interval.h"},
    # Pooling windows knows whose value is a mean over samples, and which sums say the rest.
    "AveragePrecision": {"evaluator/client/pooling.cc"},
    "CalibrationError": {"evaluator/client/pooling.cc"},
    "F1": {"evaluator/client/pooling.cc"},
    "Precision": {"evaluator/client/pooling.cc"},
    "RSquared": {"evaluator/client/pooling.cc"},
    "Recall": {"evaluator/client/pooling.cc"},
    "RocAuc": {"evaluator/client/pooling.cc"},
    "RootMeanSquaredError": {"evaluator/client/pooling.cc"},
    "Adam": {"models/training/optimizers/optimizer_spec.cc"},  # The optimiser of a training that names none.
}

files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                       capture_output=True, text=True, check=True).stdout.split()
code = {name: re.sub(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", "", pathlib.Path(name).read_text())
        for name in files if pathlib.Path(name).exists()
        and not (name.endswith("_test.cc") or "/testing/" in name or name.startswith(("tests/", "benchmarks/")))}
problems, counted = [], {}
for kind, (headers, list_file, *behaviour) in KINDS.items():
    room = headers.split("/")[0]
    for header in sorted(pathlib.Path().glob(headers)):
        for part in re.findall(r"struct (\w+)(?: : \w+)? \{\n  static constexpr std::string_view kType", header.read_text()):
            own = {str(header), str(header.with_suffix(".cc")), list_file} | BUILT_ON.get(part, set())
            own |= {f"{folder}/{header.stem}.cc" for folder in behaviour}
            counted[kind] = counted.get(kind, 0) + 1
            # Other rooms name it with its namespace.
            named = re.compile(rf"(?<![\w:]){part}\b")
            elsewhere = re.compile(rf"\b{room}::{part}\b")
            for name, text in code.items():
                if name in own:
                    continue
                if (named if name.startswith(room + "/") else elsewhere).search(text):
                    problems.append(f"{name}: names the {kind} {part}; ask the interface of the parts that "
                                    f"{list_file} lists instead")
            if len(re.findall(rf"\b{part}\b", code[list_file])) != 1:
                problems.append(f"{list_file}: names {part} not once")
print("\n".join(problems) or "kinds: " + ", ".join(f"{count} of kind {kind}" for kind, count in counted.items())
      + ", each named in its own files and its list alone")
sys.exit(bool(problems))
