#include "supervisor/triggers/performance_measure.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "evaluator/measures/ranks.h"

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

// What measures of classes read, as columns.
struct ClassColumns {
  explicit ClassColumns(const EvidenceTable& outcomes) {
    for (int64_t row = 0; row < outcomes.num_rows; ++row) {
      const auto values = std::span(outcomes.values)
                              .subspan(static_cast<size_t>(row * outcomes.width),
                                       static_cast<size_t>(outcomes.width));
      AddRow(static_cast<int64_t>(values[0]), values.subspan(1));
    }
  }

  void AddRow(int64_t truly, std::span<const double> probabilities) {
    const auto top = std::max_element(probabilities.begin(), probabilities.end());
    const auto place = static_cast<size_t>(truly);
    const bool is_known = truly >= 0 && place < probabilities.size();
    const double own = is_known ? probabilities[place] : 0;
    auto before = static_cast<int32_t>(probabilities.size());
    if (is_known) {
      before = 0;
      for (size_t i = 0; i < probabilities.size(); ++i) {
        before += probabilities[i] > own || (probabilities[i] == own && i < place) ? 1 : 0;
      }
    }
    true_classes.push_back(truly);
    predicted_classes.push_back(top - probabilities.begin());
    true_probabilities.push_back(static_cast<float>(own));
    top_probabilities.push_back(static_cast<float>(*top));
    true_places.push_back(before);
  }

  std::vector<int64_t> true_classes, predicted_classes;
  std::vector<float> true_probabilities, top_probabilities;
  std::vector<int32_t> true_places;
};

// The ranks of the probabilities of each class; of two classes, only those of class 1.
std::vector<int32_t> RanksOf(const EvidenceTable& outcomes) {
  std::vector<int32_t> ranks;
  std::vector<float> scores(static_cast<size_t>(outcomes.num_rows));
  const int64_t num_classes = outcomes.width - 1;
  for (int64_t label = num_classes == 2 ? 1 : 0; label < num_classes; ++label) {
    for (size_t row = 0; row < scores.size(); ++row) {
      const size_t at = row * static_cast<size_t>(outcomes.width) + 1 + static_cast<size_t>(label);
      scores[row] = static_cast<float>(outcomes.values[at]);
    }
    const std::vector<int32_t> some = evaluator::DenseRanks(scores);
    ranks.insert(ranks.end(), some.begin(), some.end());
  }
  return ranks;
}

std::optional<double> ScoreOfClasses(const evaluator::Measure& measure,
                                     const EvidenceTable& table) {
  const ClassColumns columns(table);
  evaluator::Outcomes outcomes = {.predicted_classes = columns.predicted_classes,
                                  .true_classes = columns.true_classes,
                                  .true_probabilities = columns.true_probabilities,
                                  .top_probabilities = columns.top_probabilities,
                                  .true_places = columns.true_places,
                                  .num_classes = table.width - 1};
  std::vector<int32_t> ranks;
  if (measure.Needs() == evaluator::Needs::kRanks) {
    ranks = RanksOf(table);
    outcomes.ranks = ranks;
    outcomes.num_ranks = ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end()) + 1;
  }
  return measure.ValueOf(outcomes);
}

std::optional<double> ScoreOfValues(const evaluator::Measure& measure, const EvidenceTable& table) {
  std::vector<float> truly, predicted;
  for (size_t at = 0; at + 1 < table.values.size(); at += 2) {
    truly.push_back(static_cast<float>(table.values[at]));
    predicted.push_back(static_cast<float>(table.values[at + 1]));
  }
  return measure.ValueOf({.predicted_values = predicted, .true_values = truly});
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
  return *own.IsOfClasses() ? ScoreOfClasses(own, outcomes) : ScoreOfValues(own, outcomes);
}

}  // namespace tidemill::supervisor

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::PerformanceMeasure);
