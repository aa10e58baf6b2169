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
#include "config/named_files.h"
#include "evaluator/measures/measure.h"
#include "evaluator/measures/measure_process.h"

namespace tidemill::evaluator {

// A measure and its settings. Thread-safe.
class Measure : public config::Part<Measure> {
 public:
  // Lists every measure.
  static std::span<const config::Alternative<Measure>> Alternatives();

  // Returns the name in results: "accuracy", "f1_macro".
  virtual std::string Name() const = 0;

  // Whether the measure compares classes. Otherwise it compares real values. std::nullopt for a
  // plug-in whose file was not taken in.
  virtual std::optional<bool> IsOfClasses() const = 0;

  // Sets the settings that a name from Name() contains. Returns false when the name is of another
  // measure.
  virtual bool TakeName(std::string_view name) = 0;

  virtual evaluator::Needs Needs() const = 0;

  virtual evaluator::Pooling Pooling() const = 0;

  // Returns false when the measure has only a detail.
  virtual bool HasValue() const = 0;

  // Whether lower values mean a better model.
  virtual bool LowerIsBetter() const = 0;

  // Returns the unit of values, such as "EUR". Empty for most measures.
  virtual std::string Unit() const = 0;

  // Returns nullptr for a measure of ranks, which takes all samples at once.
  virtual std::unique_ptr<Accumulator> NewAccumulator() const = 0;

  // Returns the value of all samples at once.
  virtual std::optional<double> ValueOf(const Outcomes& outcomes) const = 0;

  // Returns where the values of many choices or weights of samples are computed together.
  virtual std::unique_ptr<ValueSeries> NewSeries() const = 0;

  // Takes in what is in the files that the measure names; see transform/engine/op_spec.h. Notes
  // problems at its own keys.
  virtual void TakeFiles(config::NamedFiles& files, config::Problems& problems) = 0;

  // What it runs with that is not of this program: a plug-in, its versions and its sandbox. Empty
  // for measures of Tidemill.
  virtual std::string RunsWith() const = 0;

  // Whether it is made of what samples contribute, which has to be asked for block by block:
  // Contribute() fills Outcomes::contributions.
  virtual bool AsksForContributions() const = 0;

  // Makes ready to ask: copies that are made from here on share one process of a plug-in, which the
  // first question starts. Before, a measure that asks for contributions has no values. Does
  // nothing for the others.
  virtual void Open() = 0;

  // Asks what the samples of a block contribute. Failures are those of plugin/process/fault.h.
  virtual absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block) const = 0;

  // Returns why values were absent since the last call: a failure of plugin/process/fault.h, the
  // first there was. After one there are no values until this was called.
  virtual absl::Status TakeFault() const = 0;

  // Notes a problem for settings that make no sense with so many classes. Paths begin at the
  // measure's own section.
  virtual void CheckClasses(int64_t num_classes, config::Problems& problems) const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Measure& other) const = 0;
};

using MeasureSpec = config::Choice<Measure>;

// Returns the measure of Tidemill with this name in results, as far as the name contains its
// settings. nullptr when none has the name, as for the names of plug-ins: only the pipeline knows
// these.
std::unique_ptr<Measure> MeasureNamed(std::string_view name);

}  // namespace tidemill::evaluator

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::evaluator::MeasureSpec);
