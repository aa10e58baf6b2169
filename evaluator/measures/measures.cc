#include "evaluator/measures/measures.h"

#include <utility>
#include <vector>

#include "evaluator/measures/accuracy.h"
#include "evaluator/measures/average_precision.h"
#include "evaluator/measures/calibration_error.h"
#include "evaluator/measures/confusion_matrix.h"
#include "evaluator/measures/f1.h"
#include "evaluator/measures/log_loss.h"
#include "evaluator/measures/mae.h"
#include "evaluator/measures/plugin_measure.h"
#include "evaluator/measures/precision.h"
#include "evaluator/measures/r2.h"
#include "evaluator/measures/recall.h"
#include "evaluator/measures/rmse.h"
#include "evaluator/measures/roc_auc.h"
#include "evaluator/measures/top_k.h"

namespace tidemill::evaluator {
namespace {

// The values of one call after the other.
class SingleValues final : public ValueSeries {
 public:
  explicit SingleValues(const Measure& measure) : measure_(measure.Clone()) {}

  void Add(const Outcomes& outcomes) override { values_.push_back(measure_->ValueOf(outcomes)); }
  std::vector<std::optional<double>> Values() override { return std::move(values_); }

 private:
  const std::unique_ptr<const Measure> measure_;
  std::vector<std::optional<double>> values_;
};

// A new measure is its line here and its header above.
constexpr config::Alternative<Measure> kMeasures[] = {
    MeasureOf<Accuracy>::Listed(),
    MeasureOf<TopK>::Listed(),
    MeasureOf<F1>::Listed(),
    MeasureOf<Precision>::Listed(),
    MeasureOf<Recall>::Listed(),
    MeasureOf<RocAuc>::Listed(),
    MeasureOf<AveragePrecision>::Listed(),
    MeasureOf<LogLoss>::Listed(),
    MeasureOf<CalibrationError>::Listed(),
    MeasureOf<ConfusionMatrix>::Listed(),
    MeasureOf<MeanAbsoluteError>::Listed(),
    MeasureOf<RootMeanSquaredError>::Listed(),
    MeasureOf<RSquared>::Listed(),
    MeasureOf<PluginMeasure>::Listed(),
};

}  // namespace

std::span<const config::Alternative<Measure>> Measure::Alternatives() { return kMeasures; }

std::optional<double> Measure::ValueOf(const Outcomes& outcomes) const {
  const auto accumulator = NewAccumulator();
  accumulator->Add(outcomes);
  return accumulator->Value();
}

std::vector<double> Measure::Influence(const Outcomes& outcomes) const {
  const auto accumulator = NewAccumulator();
  accumulator->Add(outcomes);
  return accumulator->Influence(outcomes);
}

std::unique_ptr<ValueSeries> Measure::NewSeries() const {
  return std::make_unique<SingleValues>(*this);
}

absl::StatusOr<ContributedBlock> Measure::Contribute(const Outcomes& /*block*/) const {
  return FailedPrecondition("{} asks for no contributions", Name());
}

std::unique_ptr<Measure> MeasureNamed(std::string_view name) {
  for (const config::Alternative<Measure>& alternative : kMeasures) {
    std::unique_ptr<Measure> measure = alternative.make();
    if (measure->TakeName(name)) return measure;
  }
  return nullptr;
}

}  // namespace tidemill::evaluator

TIDEMILL_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
