#include "supervisor/triggers/errors/performance_measure.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "supervisor/triggers/errors/outcome_columns.h"

namespace tidemill::supervisor {
namespace {

constexpr char kMae[] = "mae";
// The evaluator has fewer.
constexpr size_t kMaxMeasures = 64;

class EvaluatorPart final : public PerformanceMeasurePart {
 public:
  explicit EvaluatorPart(std::unique_ptr<evaluator::Measure> measure)
      : measure_(std::move(measure)) {}

  std::unique_ptr<PerformanceMeasurePart> Clone() const override {
    return std::make_unique<EvaluatorPart>(measure_->Clone());
  }
  const void* spec() const override { return measure_->spec(); }
  void* mutable_spec() override { return measure_->mutable_spec(); }
  const evaluator::Measure& measure() const override { return *measure_; }

 private:
  const std::unique_ptr<evaluator::Measure> measure_;
};

class MeanAbsoluteErrorPart final
    : public config::PartOf<MeanAbsoluteErrorPart, PerformanceMeasurePart,
                            MeanAbsoluteErrorMeasure> {
 public:
  const evaluator::Measure& measure() const override {
    static const std::unique_ptr<evaluator::Measure> kMeasure = evaluator::MeasureNamed(kMae);
    return *kMeasure;
  }
};

// The measure with that number in the list of the evaluator.
template <size_t kNumber>
std::unique_ptr<PerformanceMeasurePart> MakeNumber() {
  return std::make_unique<EvaluatorPart>(evaluator::Measure::Alternatives()[kNumber].make());
}

// The measures with these numbers, as far as there are any. An alternative is made by a function
// without arguments, so each number has its own.
template <size_t... kNumbers>
std::vector<config::Alternative<PerformanceMeasurePart>> ListOfEvaluator(
    std::index_sequence<kNumbers...>) {
  const auto all = evaluator::Measure::Alternatives();
  const std::array makers = {&MakeNumber<kNumbers>...};
  std::vector<config::Alternative<PerformanceMeasurePart>> listed;
  for (size_t i = 0; i < std::min(all.size(), makers.size()); ++i) {
    const std::unique_ptr<evaluator::Measure> measure = all[i].make();
    if (!measure->HasValue() || measure->AsksForContributions() || measure->Name() == kMae)
      continue;
    listed.push_back({.type = all[i].type, .make = makers[i]});
  }
  return listed;
}

}  // namespace

std::span<const config::Alternative<PerformanceMeasurePart>>
PerformanceMeasurePart::Alternatives() {
  static const std::vector<config::Alternative<PerformanceMeasurePart>> kAlternatives = [] {
    auto all = ListOfEvaluator(std::make_index_sequence<kMaxMeasures>());
    all.insert(all.begin() + 1, MeanAbsoluteErrorPart::Listed());
    return all;
  }();
  return kAlternatives;
}

bool IsAccuracy(const PerformanceMeasure& measure) { return measure.type() == "accuracy"; }

bool IsMeanOfErrors(const PerformanceMeasure& measure) {
  return IsAccuracy(measure) || measure.type() == MeanAbsoluteErrorMeasure::kType;
}

ScoreKind KindOf(const PerformanceMeasure& measure) {
  if (measure.type() == MeanAbsoluteErrorMeasure::kType) {
    return {.name = "mean absolute error", .bad = statistics::BadSide::kHigh};
  }
  const evaluator::Measure& own = measure->measure();
  return {.name = own.Name(),
          .bad = own.LowerIsBetter() ? statistics::BadSide::kHigh : statistics::BadSide::kLow};
}

ScoreRange RangeOf(const PerformanceMeasure& measure) {
  const evaluator::Measure& own = measure->measure();
  if (own.LowerIsBetter()) return {.least = 0, .greatest = std::nullopt};
  return {.least = *own.IsOfClasses() ? std::optional<double>(0) : std::nullopt, .greatest = 1};
}

std::optional<double> ScoreOf(const PerformanceMeasure& measure, const EvidenceTable& outcomes) {
  if (outcomes.num_rows == 0) return std::nullopt;
  const evaluator::Measure& own = measure->measure();
  return own.ValueOf(OutcomeColumns(own, outcomes).outcomes());
}

}  // namespace tidemill::supervisor

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::PerformanceMeasure);
