// All measures there are. To add one: a file beside this one, its test, a line here.
#pragma once

#include <variant>

#include "evaluator/measures/accuracy.h"
#include "evaluator/measures/f1.h"
#include "evaluator/measures/mae.h"
#include "evaluator/measures/rmse.h"

namespace tidemill::evaluator {

using MeasureSpec = std::variant<Accuracy,           //
                                 F1,                 //
                                 MeanAbsoluteError,  //
                                 RootMeanSquaredError>;

// As in results: "accuracy", "f1_macro".
inline std::string NameOf(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.Name(); }, measure);
}

// Whether it compares classes; else it compares real values.
inline bool IsOfClasses(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.kOfClasses; }, measure);
}

inline std::unique_ptr<Accumulator> NewAccumulator(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.NewAccumulator(); }, measure);
}

}  // namespace tidemill::evaluator
