// The measures by which the `performance` policy judges a model: those of the evaluator that are
// one number, and can be computed from predictions and labels.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "config/choice.h"
#include "config/config.h"
#include "evaluator/measures/measures.h"
#include "supervisor/triggers/criteria/score_criterion.h"
#include "supervisor/triggers/criteria/silent_criteria.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// The evaluator calls it `mae`.
struct MeanAbsoluteErrorMeasure {
  static constexpr std::string_view kType = "mean_absolute_error";
  static constexpr std::string_view kDoc = "The mean absolute error.";
  void Fields(auto&&) {}
};

// Stands for a measure of the evaluator. Thread-safe.
class PerformanceMeasurePart : public config::Part<PerformanceMeasurePart> {
 public:
  // Lists the measures of the evaluator that have a value, except users' measures and `mae`, and
  // mean_absolute_error.
  static std::span<const config::Alternative<PerformanceMeasurePart>> Alternatives();

  virtual const evaluator::Measure& measure() const = 0;
};

using PerformanceMeasure = config::Choice<PerformanceMeasurePart>;

bool IsAccuracy(const PerformanceMeasure& measure);
// Whether the mean of the errors of samples gives the score.
bool IsMeanOfErrors(const PerformanceMeasure& measure);

// The score in words, and its bad side.
ScoreKind KindOf(const PerformanceMeasure& measure);
ScoreRange RangeOf(const PerformanceMeasure& measure);

// Returns the score of samples, in the form of EvidenceKind::kOutcomes. std::nullopt when it is
// undefined: without samples, or for an area under a curve when all samples have one class.
std::optional<double> ScoreOf(const PerformanceMeasure& measure, const EvidenceTable& outcomes);

}  // namespace tidemill::supervisor

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::PerformanceMeasure);
