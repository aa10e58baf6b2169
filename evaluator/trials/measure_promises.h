// Checks whether a user's measure keeps the promises on which evaluations rely.
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

// The result of a trial.
struct MeasureTrial {
  int64_t num_samples = 0;
  // The value of a model that is right for about seven of ten samples, or has a mean error of a
  // quarter; and the value of constant predictions.
  std::optional<double> value = std::nullopt;
  std::optional<double> baseline = std::nullopt;
  std::string unit = {};
  // Measured with blocks of the size that evaluations use.
  double microseconds_per_sample = 0;
  // The time for a thousand sums, as an interval needs; 0 for a mean.
  double milliseconds_per_interval = 0;
  std::vector<Promise> promises = {};

  bool KeepsAll() const;
};

// Tries a submitted measure plug-in on `num_samples` made-up samples; see invented_outcomes.h.
// Fails if the measure cannot answer at all.
absl::StatusOr<MeasureTrial> TryMeasure(const MeasureSpec& spec, int64_t num_samples);

}  // namespace tidemill::evaluator::trials
