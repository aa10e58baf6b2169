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

// A measure by what its spec says: Name(), kOfClasses, kNeeds, kPooling, and ValueOf() where it
// needs ranks, else NewAccumulator(). Some say kHasValue, kLowerIsBetter and CheckClasses(), too,
// and TakeName() where settings are part of the name. A spec that is asked for contributions says
// with functions what others say with constants.
template <typename Spec>
class MeasureOf final : public config::PartOf<MeasureOf<Spec>, Measure, Spec> {
 public:
  std::string Name() const override { return spec_.Name(); }
  std::optional<bool> IsOfClasses() const override {
    if constexpr (kIsAsked) {
      return spec_.OfClasses();
    } else {
      return Spec::kOfClasses;
    }
  }
  bool TakeName(std::string_view name) override {
    if constexpr (requires { spec_.TakeName(name); }) {
      return spec_.TakeName(name);
    } else {
      return spec_.Name() == name;
    }
  }
  evaluator::Needs Needs() const override {
    if constexpr (kIsAsked) {
      return spec_.WhatItNeeds();
    } else {
      return Spec::kNeeds;
    }
  }
  evaluator::Pooling Pooling() const override {
    if constexpr (kIsAsked) {
      return spec_.HowToPool();
    } else {
      static_assert(
          Spec::kPooling != evaluator::Pooling::kOfSums || Spec::kNeeds != evaluator::Needs::kRanks,
          "Ranks of all samples at once are no sums.");
      return Spec::kPooling;
    }
  }
  bool HasValue() const override {
    if constexpr (requires { Spec::kHasValue; }) {
      return Spec::kHasValue;
    } else {
      return true;
    }
  }
  bool LowerIsBetter() const override {
    if constexpr (kIsAsked) {
      return spec_.LowerIsBetter();
    } else {
      return requires { Spec::kLowerIsBetter; };
    }
  }
  std::string Unit() const override {
    if constexpr (kIsAsked) {
      return spec_.Unit();
    } else {
      return "";
    }
  }
  std::unique_ptr<Accumulator> NewAccumulator() const override {
    if constexpr (kIsOfRanks) {
      return nullptr;
    } else {
      return spec_.NewAccumulator();
    }
  }
  std::optional<double> ValueOf(const Outcomes& outcomes) const override {
    if constexpr (kIsOfRanks) {
      return spec_.ValueOf(outcomes);
    } else {
      const auto accumulator = spec_.NewAccumulator();
      accumulator->Add(outcomes);
      return accumulator->Value();
    }
  }
  std::unique_ptr<ValueSeries> NewSeries() const override {
    if constexpr (kIsAsked) {
      return spec_.NewSeries();
    } else {
      return std::make_unique<SingleValues>(*this);
    }
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    if constexpr (kIsAsked) spec_.TakeFiles(files, problems);
  }
  std::string RunsWith() const override {
    if constexpr (kIsAsked) {
      return spec_.RunsWith();
    } else {
      return "";
    }
  }
  bool AsksForContributions() const override { return kIsAsked; }
  void Open() override {
    if constexpr (kIsAsked) spec_.Open();
  }
  absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block) const override {
    if constexpr (kIsAsked) {
      return spec_.Contribute(block);
    } else {
      return FailedPrecondition("{} asks for no contributions", Name());
    }
  }
  absl::Status TakeFault() const override {
    if constexpr (kIsAsked) {
      return spec_.TakeFault();
    } else {
      return absl::OkStatus();
    }
  }
  void CheckClasses(int64_t num_classes, config::Problems& problems) const override {
    if constexpr (requires { spec_.CheckClasses(num_classes, problems); }) {
      spec_.CheckClasses(num_classes, problems);
    }
  }
  bool Equals(const Measure& other) const override {
    return spec_ == static_cast<const MeasureOf&>(other).spec_;
  }

 private:
  using config::PartOf<MeasureOf<Spec>, Measure, Spec>::spec_;

  static constexpr bool kIsAsked = requires(const Spec& spec) { spec.Contribute(Outcomes()); };
  static constexpr bool kIsOfRanks = requires(const Spec& spec) { spec.ValueOf(Outcomes()); };
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

std::unique_ptr<Measure> MeasureNamed(std::string_view name) {
  for (const config::Alternative<Measure>& alternative : kMeasures) {
    std::unique_ptr<Measure> measure = alternative.make();
    if (measure->TakeName(name)) return measure;
  }
  return nullptr;
}

}  // namespace tidemill::evaluator

TIDEMILL_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
