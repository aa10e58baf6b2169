// The F1 score of several classes, as scikit-learn's f1_score defines its averages.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/config.h"
#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

enum class F1Average { kMacro, kMicro, kWeighted };

// Of one class, F1 = 2 TP / (2 TP + FP + FN). A class counts when it occurs among the true or the
// predicted ones; a class without true positives has 0.
struct F1 {
  static constexpr std::string_view kType = "f1";
  static constexpr std::string_view kDoc =
      "The harmonic mean of precision and recall, averaged over the classes that occur.";
  static constexpr bool kOfClasses = true;

  F1Average average = F1Average::kMacro;

  void Fields(auto&& field) {
    field("average", average,
          "macro: every class counts the same; weighted: by its number of true samples; micro: "
          "over all samples at once, which equals accuracy.");
  }

  // "f1_macro".
  std::string Name() const;
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const F1&, const F1&) = default;
};

}  // namespace tidemill::evaluator

template <>
struct tidemill::config::EnumNames<tidemill::evaluator::F1Average> {
  static constexpr std::pair<tidemill::evaluator::F1Average, std::string_view> kNames[] = {
      {tidemill::evaluator::F1Average::kMacro, "macro"},
      {tidemill::evaluator::F1Average::kMicro, "micro"},
      {tidemill::evaluator::F1Average::kWeighted, "weighted"},
  };
};
