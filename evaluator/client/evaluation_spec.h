// What a pipeline says about one of its evaluations.
//
//   - dataset: elec2
//     windows: {type: between_triggers}
//     models: all
//     measures: [accuracy, {type: f1, average: macro}]
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/config.h"
#include "base/time.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// One window from each trigger to the next: what the model of a trigger met while it was in use.
struct BetweenTriggers {
  static constexpr std::string_view kType = "between_triggers";
  static constexpr std::string_view kDoc =
      "From each trigger to the next, the last one to the end.";
  void Fields(auto&&) {}
  friend bool operator==(const BetweenTriggers&, const BetweenTriggers&) = default;
};

// One window with the whole dataset.
struct Whole {
  static constexpr std::string_view kType = "whole";
  static constexpr std::string_view kDoc = "The whole dataset at once, as for a test set.";
  void Fields(auto&&) {}
  friend bool operator==(const Whole&, const Whole&) = default;
};

// Windows of equal length in event time.
struct Slices {
  static constexpr std::string_view kType = "slices";
  static constexpr std::string_view kDoc =
      "Slices of equal length, the first beginning at the dataset's first event.";

  Duration every;

  void Fields(auto&& field) {
    field("every", every, "Length of a slice in event time.", {.required = true, .example = "7d"});
  }
  void Check(config::Problems& problems) const {
    if (every.micros <= 0) problems.Add("every", "must be positive", "write a length such as 7d");
  }
  friend bool operator==(const Slices&, const Slices&) = default;
};

using WindowsSpec = std::variant<BetweenTriggers, Whole, Slices>;

enum class EvaluatedModels { kAll, kActive };

struct EvaluationSpec {
  std::string dataset;
  WindowsSpec windows = BetweenTriggers{};
  EvaluatedModels models = EvaluatedModels::kAll;
  std::vector<MeasureSpec> measures;

  void Fields(auto&& field) {
    field("dataset", dataset, "The dataset to measure the models on.", {.required = true});
    field("windows", windows, "How the dataset is cut into windows, each measured by itself.");
    field("models", models,
          "all: every model on every window; active: on each window the model in use then.");
    field("measures", measures, "What to measure.", {.required = true});
  }

  void Check(config::Problems& problems) const {
    if (measures.empty()) {
      problems.Add("measures", "is empty", "name at least one, such as accuracy");
    }
    std::set<std::string> names;
    for (const MeasureSpec& measure : measures) {
      if (!names.insert(NameOf(measure)).second) {
        problems.Add("measures", "has " + NameOf(measure) + " twice", "remove one");
      }
      if (IsOfClasses(measure) != IsOfClasses(measures.front())) {
        problems.Add("measures", "mixes measures of classes with measures of real values",
                     "keep those that fit the dataset's label");
      }
    }
  }
};

}  // namespace tidemill::evaluator

template <>
struct tidemill::config::EnumNames<tidemill::evaluator::EvaluatedModels> {
  static constexpr std::pair<tidemill::evaluator::EvaluatedModels, std::string_view> kNames[] = {
      {tidemill::evaluator::EvaluatedModels::kAll, "all"},
      {tidemill::evaluator::EvaluatedModels::kActive, "active"},
  };
};
