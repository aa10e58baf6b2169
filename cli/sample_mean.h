// The mean of values of several windows, weighted by their samples, with an interval.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace tidemill::cli {

// Half-open.
using WindowKey = std::pair<Cut, Cut>;

// Thread-compatible.
class SampleMean {
 public:
  // Adds a value with its interval; a Value is an EvaluationValue or CompositeValue. One that is
  // absent, or of no samples, is ignored.
  template <typename Value>
  void Add(const Value& value) {
    if (!value.has_value() || value.num_samples() == 0) return;
    members_.push_back({.window = {CutOf(value.from()), CutOf(value.to())},
                        .value = value.value(),
                        .num_samples = value.num_samples(),
                        .low = value.has_low() ? std::optional(value.low()) : std::nullopt,
                        .high = value.has_high() ? std::optional(value.high()) : std::nullopt});
  }

  int64_t num_samples() const;
  // std::nullopt without samples.
  std::optional<double> Mean() const;

  // The bounds of a 95 % interval, from those of the windows: the distances of their bounds, each
  // weighted, are added as squares (MOVER: Zou and Donner, "Construction of confidence limits about
  // effect measures", 2008). Absent unless every window has an interval and no two of them, which
  // must have independent samples, overlap.
  std::optional<std::pair<double, double>> Interval() const;

  // "0.7755 [0.7531, 0.7968]", "0.7755", "-".
  std::string ToString() const;

 private:
  struct Member {
    WindowKey window;
    double value = 0;
    int64_t num_samples = 0;
    std::optional<double> low;
    std::optional<double> high;
  };

  template <typename Wire>
  static Cut CutOf(const Wire& cut) {
    return {{cut.event_time()}, {cut.sample_key()}};
  }

  std::vector<Member> members_;
};

}  // namespace tidemill::cli
