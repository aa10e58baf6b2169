// A measure as a pipeline names it: everything that the platform must know about a measure.
//
// To add a measure, write a header with its spec and a source in the folder of its family, and its
// line in measures.cc.
// A spec is a struct with
//   static constexpr std::string_view kType, kDoc;
//   static constexpr bool kOfClasses, kLowerIsBetter;
//   static constexpr Needs kNeeds;
//   static constexpr Pooling kPooling;
//   static constexpr ValueRange kRange;
//   std::string Name() const;
//   std::unique_ptr<Accumulator> NewAccumulator() const;
// A RankedMeasure has ValueOf() and Influence() instead of the accumulator.
// Where a default of Measure does not fit, specialise MeasureOf for the spec and override it there:
// TakeName() where settings are part of the name, CheckClasses() where they depend on the classes.
// measures_test.cc tests that every measure keeps the promises of
// measure.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/choice.h"
#include "config/config.h"
#include "config/named_files.h"
#include "evaluator/measures/measure.h"
#include "evaluator/measures/measure_process.h"

namespace tidemill::evaluator {

// A measure and its settings. Thread-safe.
class Measure : public config::PartWithFiles<Measure> {
 public:
  // Lists every measure.
  static std::span<const config::Alternative<Measure>> Alternatives();

  // Returns the name in results: "accuracy", "f1_macro".
  virtual std::string Name() const = 0;

  // Whether the measure compares classes. Otherwise it compares real values. std::nullopt for a
  // plug-in whose file was not loaded.
  virtual std::optional<bool> IsOfClasses() const = 0;

  // Sets the settings that a name from Name() contains. Returns false when the name is of another
  // measure.
  virtual bool TakeName(std::string_view name) { return name == Name(); }

  virtual evaluator::Needs Needs() const = 0;

  virtual evaluator::Pooling Pooling() const = 0;

  // An interval stays within it.
  virtual ValueRange Range() const = 0;

  // Returns false when the measure has only a detail.
  virtual bool HasValue() const { return true; }

  // Whether lower values mean a better model.
  virtual bool LowerIsBetter() const = 0;

  // Returns the unit of values, such as "EUR". Empty for most measures.
  virtual std::string Unit() const { return ""; }

  // Returns nullptr for a measure of ranks, which takes all samples at once.
  virtual std::unique_ptr<Accumulator> NewAccumulator() const = 0;

  // Returns the value of all samples at once.
  virtual std::optional<double> ValueOf(const Outcomes& outcomes) const;

  // Returns what each sample does to the value of all, as Accumulator::Influence() does. Empty when
  // it is not known: then intervals take the samples for independent.
  virtual std::vector<double> Influence(const Outcomes& outcomes) const;

  // Returns a ValueSeries, which computes the values of many choices or weights of samples
  // together.
  virtual std::unique_ptr<ValueSeries> NewSeries() const;

  // Whether its values are computed from contributions of samples, which Contribute() returns block
  // by block for Outcomes::contributions.
  virtual bool AsksForContributions() const { return false; }

  // Prepares a plug-in: copies made afterwards share one process of the plug-in, which the first
  // call starts. Until then, a measure that needs contributions has no values. Does nothing for
  // other measures.
  virtual void Open() {}

  // Returns the contributions of the samples of a block. Returns the errors of
  // plugin/process/fault.h.
  virtual absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block) const;

  // Returns the first failure since the last call that made a value absent; see
  // plugin/process/fault.h. After a failure there are no values until this is called.
  virtual absl::Status TakeFault() const { return absl::OkStatus(); }

  // Notes a problem for settings that are not valid with `num_classes` classes. Paths begin at the
  // measure's own section.
  virtual void CheckClasses(int64_t /*num_classes*/, config::Problems& /*problems*/) const {}

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Measure& other) const = 0;
};

using MeasureSpec = config::Choice<Measure>;

template <typename Spec>
class MeasureOf;

// What every spec has.
template <typename Spec>
class MeasureBase : public config::PartOf<MeasureOf<Spec>, Measure, Spec> {
 public:
  std::string Name() const override { return this->spec_.Name(); }
  bool Equals(const Measure& other) const override {
    return this->spec_ == static_cast<const MeasureBase&>(other).spec_;
  }
};

// A built-in measure, which describes itself by constants.
template <typename Spec>
class BuiltInMeasure : public MeasureBase<Spec> {
 public:
  std::optional<bool> IsOfClasses() const override { return Spec::kOfClasses; }
  evaluator::Needs Needs() const override { return Spec::kNeeds; }
  evaluator::Pooling Pooling() const override { return Spec::kPooling; }
  ValueRange Range() const override { return Spec::kRange; }
  bool LowerIsBetter() const override { return Spec::kLowerIsBetter; }
};

// A measure that takes samples block by block.
template <typename Spec>
class SummedMeasure : public BuiltInMeasure<Spec> {
 public:
  std::unique_ptr<Accumulator> NewAccumulator() const override {
    return this->spec_.NewAccumulator();
  }
};

// A measure that takes all samples at once.
template <typename Spec>
class RankedMeasure : public BuiltInMeasure<Spec> {
 public:
  std::unique_ptr<Accumulator> NewAccumulator() const override { return nullptr; }
  std::optional<double> ValueOf(const Outcomes& outcomes) const override {
    static_assert(Spec::kPooling != evaluator::Pooling::kOfSums,
                  "Ranks of all samples at once are not sums.");
    return this->spec_.ValueOf(outcomes);
  }
  std::vector<double> Influence(const Outcomes& outcomes) const override {
    return this->spec_.Influence(outcomes);
  }
};

// The measure of a spec, with the defaults.
template <typename Spec>
class MeasureOf final : public SummedMeasure<Spec> {};

// Returns the built-in measure with this name in results, with the settings that the name contains.
// nullptr when there is none, as for the name of a plug-in, which only the pipeline knows.
std::unique_ptr<Measure> MeasureNamed(std::string_view name);

}  // namespace tidemill::evaluator

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
