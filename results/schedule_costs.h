// The costs of training schedules, and the cost of the best one.
//
// Time is divided into windows t = 0, 1, ... Before each window, a schedule trains on the data so
// far, at a price, or keeps the model:
//
//   cost(schedule) = price * trainings + sum over t of e(i(t), t)
//
// e(i, t) is the error on window t of the model trained at cut i, and i(t) the cut of the model in
// use. The oracle knows e. It is a dynamic programme (Mahadevan and Mathioudakis, "Cost-aware
// retraining for machine learning", Knowledge-Based Systems 293, 2024):
//
//   V(i, t) = min( e(i, t) + V(i, t + 1),  price + e(n(t), t) + V(n(t), t + 1) )
//
// with n(t) the newest cut at or before the beginning of window t. It takes cuts x windows steps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "results/rows.h"

namespace tidemill::results {

// The errors of models trained at cuts on windows, in [0, 1] as a rule. Immutable.
struct ErrorMatrix {
  std::vector<Timestamp> cuts;  // Ascending.
  std::vector<Timestamp>
      windows;                 // Where each begins, ascending; none begins before the first cut.
  std::vector<size_t> newest;  // For each window, the newest cut at or before its beginning.
  std::vector<std::vector<double>> errors;  // By cut and window. NaN for a cut after the window.
  // Windows in which some model has no value. No schedule is judged on them.
  int64_t num_left_out = 0;

  size_t num_windows() const { return windows.size(); }
  double At(size_t cut, size_t window) const { return errors[cut][window]; }
};

// A model, by the number of its trigger.
struct TrainedAt {
  int64_t trigger = 0;
  Timestamp at;
};

// Reads the values of `models`, in order of time, all of which were evaluated on `measure`. The
// error is 1 - value, or value / scale where less is better. NOT_FOUND when there are no such
// values.
absl::StatusOr<ErrorMatrix> ErrorMatrixOf(const std::vector<Row>& table,
                                          const std::vector<TrainedAt>& models,
                                          const std::string& measure, double scale);

// The model in use in each window.
struct Schedule {
  std::vector<size_t> active;  // By window, a cut.
  std::vector<int> trainings;  // By window, the trainings since the one before it began.
};

// Returns the schedule of a policy that has trained at these times, in ascending order. The first
// model is trained at the first cut: all policies begin with it, and its training is free.
Schedule ScheduleOf(const ErrorMatrix& matrix, std::span<const Timestamp> triggers);

// Returns the cost over the windows [from, to).
double CostOf(const ErrorMatrix& matrix, const Schedule& schedule, double price, size_t from,
              size_t to = std::numeric_limits<size_t>::max());

// Returns the number of trainings in the windows from `from` on.
int64_t NumTrainings(const Schedule& schedule, size_t from);

// Returns the least cost over the windows from `from` on. The oracle may begin with any model
// trained until then, for nothing, so it bounds every schedule from below.
double OracleCost(const ErrorMatrix& matrix, double price, size_t from);

}  // namespace tidemill::results
