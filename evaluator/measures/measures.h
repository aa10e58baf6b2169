// All measures there are. To add one: a file beside this one, its test, a line here.
#pragma once

#include <variant>

#include "evaluator/measures/accuracy.h"
#include "evaluator/measures/average_precision.h"
#include "evaluator/measures/calibration_error.h"
#include "evaluator/measures/confusion_matrix.h"
#include "evaluator/measures/f1.h"
#include "evaluator/measures/log_loss.h"
#include "evaluator/measures/mae.h"
#include "evaluator/measures/precision.h"
#include "evaluator/measures/r2.h"
#include "evaluator/measures/recall.h"
#include "evaluator/measures/rmse.h"
#include "evaluator/measures/roc_auc.h"
#include "evaluator/measures/top_k.h"

namespace tidemill::evaluator {

using MeasureSpec = std::variant<Accuracy,              //
                                 TopK,                  //
                                 F1,                    //
                                 Precision,             //
                                 Recall,                //
                                 RocAuc,                //
                                 AveragePrecision,      //
                                 LogLoss,               //
                                 CalibrationError,      //
                                 ConfusionMatrix,       //
                                 MeanAbsoluteError,     //
                                 RootMeanSquaredError,  //
                                 RSquared>;

// As in results: "accuracy", "f1_macro".
inline std::string NameOf(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.Name(); }, measure);
}

// Whether it compares classes; else it compares real values.
inline bool IsOfClasses(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.kOfClasses; }, measure);
}

inline Needs NeedsOf(const MeasureSpec& measure) {
  return std::visit([](const auto& spec) { return spec.kNeeds; }, measure);
}

// False for one that has nothing but a detail.
inline bool HasValue(const MeasureSpec& measure) {
  return !std::holds_alternative<ConfusionMatrix>(measure);
}

// nullptr for a measure of ranks, which takes all samples at once.
inline std::unique_ptr<Accumulator> NewAccumulator(const MeasureSpec& measure) {
  return std::visit(
      [](const auto& spec) -> std::unique_ptr<Accumulator> {
        if constexpr (spec.kNeeds == Needs::kRanks) {
          return nullptr;
        } else {
          return spec.NewAccumulator();
        }
      },
      measure);
}

// The measure of all samples at once.
inline std::optional<double> ValueOf(const MeasureSpec& measure, const Outcomes& outcomes) {
  return std::visit(
      [&](const auto& spec) -> std::optional<double> {
        if constexpr (spec.kNeeds == Needs::kRanks) {
          return spec.ValueOf(outcomes);
        } else {
          const auto accumulator = spec.NewAccumulator();
          accumulator->Add(outcomes);
          return accumulator->Value();
        }
      },
      measure);
}

}  // namespace tidemill::evaluator
