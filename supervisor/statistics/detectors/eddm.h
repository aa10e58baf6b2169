// EDDM: signals drift when errors come closer together than at their greatest distance
// (Baena-Garcia, del Campo-Avila, Fidalgo, Bifet, Gavalda and Morales-Bueno, "Early drift detection
// method", 2006). It finds gradual drift sooner than DDM, and raises more false alarms.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "supervisor/statistics/detectors/detector.h"

namespace tidemill::supervisor::statistics {

struct EddmConfig {
  static constexpr std::string_view kType = "eddm";
  static constexpr std::string_view kDoc =
      "EDDM (Baena-Garcia and others, 2006). It fires when errors come closer together than they "
      "were at their farthest. It sees gradual drift sooner than `ddm`, but gives false alarms "
      "sooner, too.";
  static constexpr bool kCountsMistakes = true;
  int64_t warm_up = 30;
  double warning = 0.95;
  double drift = 0.9;

  void Fields(auto&& field) {
    field("warm_up", warm_up, "Number of errors at the beginning without a verdict.", {.min = 1});
    field("warning", warning,
          "It warns below this share of the greatest distance between errors (the mean and two "
          "standard deviations).",
          {.min = 0, .max = 1});
    field("drift", drift, "It fires below this share.", {.min = 0, .max = 1});
  }
  std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const {
    return {{"warm_up", warm_up}};
  }
  std::vector<config::Remark> FindSilence() const {
    if (drift > 0) return {};
    return {{.path = "drift",
             .message = "is never reached: no share is below 0",
             .hint = "write a share such as 0.9"}};
  }
  friend bool operator==(const EddmConfig&, const EddmConfig&) = default;
};

struct EddmState {
  int64_t num_values = 0;
  int64_t num_errors = 0;
  int64_t last_error = 0;    // The number of the value, from 1.
  double mean_distance = 0;  // The mean distance of errors, in values.
  double squares = 0;        // The sum of squared deviations from that mean.
  double greatest = 0;
  bool warned = false;
  bool drifted = false;

  void Fields(auto&& field) {
    field("num_values", num_values);
    field("num_errors", num_errors);
    field("last_error", last_error);
    field("mean_distance", mean_distance);
    field("squares", squares);
    field("greatest", greatest);
    field("warned", warned);
    field("drifted", drifted);
  }
  friend bool operator==(const EddmState&, const EddmState&) = default;
};

// O(1) time and memory per value.
class Eddm {
 public:
  explicit Eddm(const EddmConfig& config, const EddmState& state = {})
      : config_(config), state_(state) {}

  // A value of 0.5 and more is an error. Between two errors, the signal stays that of the last one.
  DetectorSignal Update(double value);
  const EddmState& state() const { return state_; }

 private:
  DetectorSignal AtError();

  const EddmConfig config_;
  EddmState state_;
};

}  // namespace tidemill::supervisor::statistics
