// DDM: signals drift when the error rate has risen well above its minimum (Gama, Medas, Castillo
// and Rodrigues, "Learning with drift detection", SBIA 2004).
//   error rate p, and its deviation s = sqrt(p (1 - p) / n)
//     |                           ___ p + s > least p + 3 least s: drift
//     |  \                  __--'     p + s > least p + 2 least s: warning
//     |   '--__        __--'
//     |        '------'
//     |            least p + s: what the model reached on a steady stream
//     +------------------------------ values
//
// The rate of a model falls while the stream is steady, since p is estimated from ever more values.
// A rate that rises again is the sign of drift.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "supervisor/statistics/detectors/detector.h"

namespace tidemill::supervisor::statistics {

struct DdmConfig {
  static constexpr std::string_view kType = "ddm";
  static constexpr std::string_view kDoc =
      "DDM (Gama and others, 2004). It fires when the error rate has risen well above its least "
      "value. After a warm-up without errors, the first error fires.";
  static constexpr bool kCountsMistakes = true;
  int64_t warm_up = 30;
  double warning = 2;
  double drift = 3;

  void Fields(auto&& field) {
    field("warm_up", warm_up,
          "Number of values at the beginning without a verdict, because the error rate of few "
          "values varies much.",
          {.min = 1});
    field("warning", warning,
          "It warns at this many standard deviations above the least error rate.", {.min = 0});
    field("drift", drift, "It fires at this many standard deviations above the least error rate.",
          {.min = 0});
  }
  std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const {
    return {{"warm_up", warm_up}};
  }
  friend bool operator==(const DdmConfig&, const DdmConfig&) = default;
};

struct DdmState {
  int64_t num_values = 0;
  double error_rate = 0;
  bool has_least = false;
  double least_rate = 0;
  double least_deviation = 0;
  bool drifted = false;

  void Fields(auto&& field) {
    field("num_values", num_values);
    field("error_rate", error_rate);
    field("has_least", has_least);
    field("least_rate", least_rate);
    field("least_deviation", least_deviation);
    field("drifted", drifted);
  }
  friend bool operator==(const DdmState&, const DdmState&) = default;
};

// O(1) time and memory per value.
class Ddm {
 public:
  explicit Ddm(const DdmConfig& config, const DdmState& state = {})
      : config_(config), state_(state) {}

  // `error` is in [0, 1].
  DetectorSignal Update(double error);
  const DdmState& state() const { return state_; }

 private:
  const DdmConfig config_;
  DdmState state_;
};

}  // namespace tidemill::supervisor::statistics
