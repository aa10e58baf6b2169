#include "evaluator/measures/measures.h"

#include <utility>
#include <vector>

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

}  // namespace

// In the order of the reference. A new measure is its line here.
// clang-format off
#define TIDEMILL_MEASURES(part) \
  part(Accuracy) \
  part(TopK) \
  part(F1) \
  part(Precision) \
  part(Recall) \
  part(RocAuc) \
  part(AveragePrecision) \
  part(LogLoss) \
  part(CalibrationError) \
  part(ConfusionMatrix) \
  part(MeanAbsoluteError) \
  part(RootMeanSquaredError) \
  part(RSquared) \
  part(PluginMeasure)
// clang-format on
TIDEMILL_PART_LIST(Measure, TIDEMILL_MEASURES)

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
  for (const config::Alternative<Measure>& alternative : Measure::Alternatives()) {
    std::unique_ptr<Measure> measure = alternative.make();
    if (measure->TakeName(name)) return measure;
  }
  return nullptr;
}

}  // namespace tidemill::evaluator

TIDEMILL_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
