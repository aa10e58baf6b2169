// A measure as a pipeline names it, and all that the platform asks of one.
//
// To add a measure: a header beside this one with its spec, which says and does what MeasureOf in
// measures.cc asks of it, and its two lines there. A measure that is long has a source, too.
// measures_test.cc holds every measure to what measure.h promises.
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
  // Every measure there is.
  static std::span<const config::Alternative<Measure>> Alternatives();

  // As in results: "accuracy", "f1_macro".
  virtual std::string Name() const = 0;

  // Whether it compares classes; else it compares real values.
  virtual bool IsOfClasses() const = 0;

  // Takes on the settings that Name() says; false for the name of another measure.
  virtual bool TakeName(std::string_view name) = 0;

  virtual evaluator::Needs Needs() const = 0;

  virtual evaluator::Pooling Pooling() const = 0;

  // False for one that has nothing but a detail.
  virtual bool HasValue() const = 0;

  // nullptr for a measure of ranks, which takes all samples at once.
  virtual std::unique_ptr<Accumulator> NewAccumulator() const = 0;

  // The measure of all samples at once.
  virtual std::optional<double> ValueOf(const Outcomes& outcomes) const = 0;

  // Notes what makes no sense with so many classes; paths begin at its own section.
  virtual void CheckClasses(int64_t num_classes, config::Problems& problems) const = 0;

  // Whether a measure of the same type has the same settings.
  virtual bool Equals(const Measure& other) const = 0;
};

using MeasureSpec = config::Choice<Measure>;

// The measure that results call so, as far as its name tells its settings; nullptr for a name that
// no measure has.
std::unique_ptr<Measure> MeasureNamed(std::string_view name);

}  // namespace tidemill::evaluator

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
