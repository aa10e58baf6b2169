// A measure as a pipeline names it, with all that the platform asks of a measure.
//
// To add a measure, write a header beside this one with its spec, and its two lines in measures.cc.
// The spec defines what MeasureOf there uses. A long measure has a source, too. measures_test.cc
// tests that every measure keeps the promises of measure.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/choice.h"
#include "config/config.h"
#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// A measure and its settings. Thread-safe.
class Measure : public config::Part<Measure> {
 public:
  // Lists every measure.
  static std::span<const config::Alternative<Measure>> Alternatives();

  // Returns the name in results: "accuracy", "f1_macro".
  virtual std::string Name() const = 0;

  // Whether the measure compares classes. Otherwise it compares real values.
  virtual bool IsOfClasses() const = 0;

  // Sets the settings that a name from Name() contains. Returns false when the name is of another
  // measure.
  virtual bool TakeName(std::string_view name) = 0;

  virtual evaluator::Needs Needs() const = 0;

  virtual evaluator::Pooling Pooling() const = 0;

  // Returns false when the measure has only a detail.
  virtual bool HasValue() const = 0;

  // Returns nullptr for a measure of ranks, which takes all samples at once.
  virtual std::unique_ptr<Accumulator> NewAccumulator() const = 0;

  // Returns the value of all samples at once.
  virtual std::optional<double> ValueOf(const Outcomes& outcomes) const = 0;

  // Notes a problem for settings that make no sense with so many classes. Paths begin at the
  // measure's own section.
  virtual void CheckClasses(int64_t num_classes, config::Problems& problems) const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Measure& other) const = 0;
};

using MeasureSpec = config::Choice<Measure>;

// Returns the measure with this name in results, as far as the name contains its settings. nullptr
// when no measure has the name.
std::unique_ptr<Measure> MeasureNamed(std::string_view name);

}  // namespace tidemill::evaluator

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
