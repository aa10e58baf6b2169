// What waiting costs, what training costs, and when the first has caught up with the second.
//
// Samples that no model has learnt from yet wait, and their waiting adds up: R(t), in
// sample-seconds, is the integral of how many wait. A training of n samples takes cost(n) seconds.
// With rho seconds of waiting taken for one second of training, retraining pays once R / rho >=
// cost(n). If cost does not depend on n, that is the best there is for a constant rate of arrivals,
// and for any arrivals costs at most twice as much as knowing the future (Dooly, Goldman and Scott,
// "On-line analysis of the TCP acknowledgment delay problem", J. ACM 2001: their packets are our
// samples, their acknowledgments our trainings).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/statistics/forecast.h"

namespace tidemill::supervisor::statistics {

// R(t), for samples that count 1 each, or for avoidable errors that count what they are. Each
// sample adds to two sums on its own, so the result does not depend on how the stream is cut into
// batches.
struct WaitingCost {
  int64_t since = 0;   // Microseconds; weights and moments count from here.
  double waiting = 0;  // The sum of weights.
  double moment = 0;   // The sum of weight x seconds from `since` to its arrival.

  // Samples arrived at these times, in microseconds.
  void Add(std::span<const int64_t> times);
  void AddWeighted(Timestamp time, double weight);
  // A weight that arrived evenly over an interval.
  void AddSpread(Timestamp from, Timestamp to, double weight);

  // R at `time`, no earlier than the last arrival, in units of weight x seconds.
  double At(Timestamp time) const;

  // At a trigger: nothing waits any more. What arrives while the training runs waits for the next.
  void Reset(Timestamp time) { *this = {.since = time.micros}; }

  void Fields(auto&& field) {
    field("since", since);
    field("waiting", waiting);
    field("moment", moment);
  }
  friend bool operator==(const WaitingCost&, const WaitingCost&) = default;
};

// Seconds of training by number of samples, learnt from trainings that have ended: a ridge line
// with alpha 1 through the latest of them. Measured seconds are inputs of a decision, so they are
// events.
struct TrainingCost {
  int64_t most = 1000;  // Trainings remembered.
  std::vector<double> samples = {};
  std::vector<double> seconds = {};

  void Add(int64_t num_samples, double num_seconds);
  bool empty() const { return samples.empty(); }

  // The fitted line as it is.
  Line Fit() const;
  // The same with neither slope nor intercept below 0: more samples never take less time, none
  // never less than none. A constant after one training.
  Line FitNonNegative() const;
  // Seconds that a training of so many samples will take: FitNonNegative(), at least `floor`.
  // FAILED_PRECONDITION before the first training has ended.
  absl::StatusOr<double> Predict(int64_t num_samples, double floor = 1e-3) const;

  void Fields(auto&& field) {
    field("most", most);
    field("samples", samples);
    field("seconds", seconds);
  }
  absl::Status Check() const;
  friend bool operator==(const TrainingCost&, const TrainingCost&) = default;
};

// Seconds between triggers when samples arrive at a constant rate per second and a training of n
// takes fixed + per_sample n seconds: where R / rho = cost, tau = rho b + sqrt(rho^2 b^2 + 2 rho a
// / rate).
double BalancedPeriod(double rho, const Line& training_cost, double rate);

}  // namespace tidemill::supervisor::statistics
