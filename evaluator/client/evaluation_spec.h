// One entry of the `evaluation` section of a pipeline.
//
//   - dataset: elec2
//     windows: {type: between_triggers}
//     models: all
//     measures: [accuracy, {type: f1, average: macro}, {type: plugin, use: "cost.py:Cost"}]
//     slices: [class, {type: column, name: day}]
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "evaluator/client/slice_spec.h"
#include "evaluator/client/windows_spec.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

enum class EvaluatedModels { kAll, kActive };

// Intervals around each value. measures/bootstrap.h and measures/dependence.h describe them.
struct BootstrapSpec {
  int replicates = 200;
  int64_t seed = 0;

  void Fields(auto&& field) {
    field("replicates", replicates,
          "How often a value is measured again on newly drawn samples. 0: no intervals.",
          {.min = 0, .max = 10'000});
    field("seed", seed, "Seed of the draws.");
  }
  friend bool operator==(const BootstrapSpec&, const BootstrapSpec&) = default;
};

struct EvaluationSpec {
  std::string dataset;
  WindowsSpec windows = BetweenTriggers{};
  EvaluatedModels models = EvaluatedModels::kAll;
  config::DeviceChoice device = {};
  std::vector<MeasureSpec> measures;
  std::vector<SliceSpec> slices;
  BootstrapSpec bootstrap;
  bool importance = true;

  void Fields(auto&& field) {
    field("dataset", dataset, "The dataset to measure the models on.", {.required = true});
    field("windows", windows,
          "How the dataset is divided into windows. Each window is measured separately.");
    field(
        "models", models,
        "all: every model on every window. active: on each window, the model in use at that time.");
    field(
        "device", device,
        "Where to compute what models answer. `auto` takes a GPU if the evaluator has one. An "
        "evaluation has its GPU for itself, and waits for one that is free. Values from a GPU and "
        "from processors may differ in their last digits.");
    field("measures", measures, "What to measure.", {.required = true});
    field("slices", slices, "Which parts of each window to measure besides the whole window.",
          {.max_items = 20});
    field("bootstrap", bootstrap, "How to find the 95 % interval around each value.");
    field("importance", importance,
          "Whether to measure how much each column of the records matters to the models in use in "
          "the last windows: what the first measure loses when up to 2,000 samples exchange their "
          "values of the column. Without columns, as for images, nothing is measured.");
  }

  void Check(config::Problems& problems) const;

  // Reads the files that measures name into the spec. Notes problems at their keys.
  void TakeFiles(config::NamedFiles& files, config::Problems& problems);
  // Returns the versions of the plug-ins with which measures run.
  std::vector<std::string> RunsWith() const;
  // Opens the measures that are plug-ins; see Measure::Open().
  void OpenMeasures();
};

}  // namespace tidemill::evaluator

template <>
struct tidemill::config::EnumNames<tidemill::evaluator::EvaluatedModels> {
  static constexpr std::pair<tidemill::evaluator::EvaluatedModels, std::string_view> kNames[] = {
      {tidemill::evaluator::EvaluatedModels::kAll, "all"},
      {tidemill::evaluator::EvaluatedModels::kActive, "active"},
  };
};

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::evaluator::EvaluationSpec);
