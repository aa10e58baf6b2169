// Counts the misclassifications that a newer model would have avoided: what an old model has cost
// so far.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace tidemill::supervisor::statistics {

// Errors that an up-to-date model would also make do not count. An interval with `num_samples`
// labelled samples and `num_errors` errors of the active model counts errors - (1 -
// expected_accuracy) samples. (Boether et al., "Modyn", SIGMOD 2025.)
struct AvoidableErrors {
  int64_t count = 0;

  // Adds an interval. Returns what it added, rounded to whole errors. An interval with fewer errors
  // than expected reduces the count only if `may_fall`.
  int64_t Add(int64_t num_errors, int64_t num_samples, double expected_accuracy, bool may_fall);

  // Returns the count after one more interval if the active model then has `forecast_accuracy`.
  double Ahead(int64_t num_samples, double forecast_accuracy, double expected_accuracy) const;

  // Starts again at a trigger.
  void Reset() { count = 0; }

  void Fields(auto&& field) { field("count", count); }
  friend bool operator==(const AvoidableErrors&, const AvoidableErrors&) = default;
};

}  // namespace tidemill::supervisor::statistics
