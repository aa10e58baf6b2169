// Whether a measure keeps what evaluations rest on: for measures of users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "evaluator/measures/measures.h"
#include "plugin/spec/promise.h"

namespace tidemill::evaluator::trials {

using plugin::Promise;

// What a trial showed.
struct MeasureTrial {
  int64_t num_samples = 0;
  // Of a model that is right about seven samples in ten, or errs by a quarter on average, and of a
  // rule that says always the same.
  std::optional<double> value = std::nullopt;
  std::optional<double> baseline = std::nullopt;
  std::string unit = {};
  // Asked in blocks as evaluations ask.
  double microseconds_per_sample = 0;
  // Of a thousand sums at once, as an interval asks; 0 for a mean.
  double milliseconds_per_interval = 0;
  std::vector<Promise> promises = {};

  bool KeepsAll() const;
};

// Asks a measure that is a plug-in, and was submitted, about `num_samples` samples that are
// invented: see invented_outcomes.h. Fails where the measure cannot answer at all.
absl::StatusOr<MeasureTrial> TryMeasure(const MeasureSpec& spec, int64_t num_samples);

}  // namespace tidemill::evaluator::trials
