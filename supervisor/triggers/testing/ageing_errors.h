// Models whose errors a test defines by when they were trained.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "supervisor/triggers/testing/policy_driver.h"
#include "supervisor/triggers/testing/scripted_errors.h"

namespace tidemill::supervisor::testing {

// The error, between 0 and 1, of the model that was trained before interval `trained`, on interval
// `interval`. An interval has the samples of SteadySamples(), from 0 on.
using ErrorOfModel = std::function<double(int64_t trained, int64_t interval)>;

// Models that have an error of 0.1 at first, and of this much more each interval.
inline ErrorOfModel GrowingBy(double growth) {
  return [growth](int64_t trained, int64_t interval) {
    return .1 + growth * static_cast<double>(interval - trained);
  };
}

// Lets a policy decide on a stream, and has a model trained wherever it fires. The error is the
// share of the 100 samples of an interval that are wrong; intervals of one sample have the error
// itself.
inline std::vector<Decision> DecideAgeing(const TriggerSpec& spec, int64_t num_intervals,
                                          const ErrorOfModel& error_of, int64_t length = 100) {
  int64_t trained = 0;
  ScriptedErrors source([&](int64_t number) -> std::optional<double> {
    const double error = error_of(trained, number / length);
    if (length == 1) return error;
    return number % length < std::llround(static_cast<double>(length) * error) ? 1 : 0;
  });
  const Stream stream = SteadySamples(num_intervals * length);
  Decider decider = Make(spec, "", &source);
  std::vector<Decision> decisions;
  Samples rest = stream.View();
  while (auto decision = NextOf(decider, rest)) {
    if (decision->fired) trained = static_cast<int64_t>(decisions.size()) + 1;
    decisions.push_back(*std::move(decision));
  }
  return decisions;
}

// The numbers of the decisions that fired, from 0.
inline std::vector<int64_t> NumbersOfFired(const std::vector<Decision>& decisions) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].fired) numbers.push_back(static_cast<int64_t>(i));
  }
  return numbers;
}

}  // namespace tidemill::supervisor::testing
