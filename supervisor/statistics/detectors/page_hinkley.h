// Page-Hinkley: signals drift when values have exceeded their running mean by more than `threshold`
// in sum (Page, "Continuous inspection schemes", 1954; Hinkley, 1971, with an unknown mean; in the
// form of Gama, Sebastiao and Rodrigues, "On evaluating stream learning algorithms", 2013).
//   sum of (value - running mean - tolerance), never below 0
//     |                     /  > threshold: drift; the sum begins again
//     |                   /
//     |     /\          /
//     |   /   \  /\   /
//     +--'-----'--'--'------------ values
//
// Chance moves the sum up and down, and `tolerance` pulls it down. A lasting rise of the values
// moves it up only.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/statistics/detectors/detector.h"

namespace tidemill::supervisor::statistics {

enum class PageHinkleySides : uint8_t {
  // Detects rising values. The sum never falls below 0.
  kUp,
  // Detects rising and falling values. Each sum is compared with its extreme so far.
  kBoth,
};

struct PageHinkleyConfig {
  static constexpr std::string_view kType = "page_hinkley";
  static constexpr std::string_view kDoc =
      "Page-Hinkley (Page, 1954). It fires when the sum by which values have exceeded their "
      "running mean is above a threshold.";
  static constexpr bool kCountsMistakes = false;
  int64_t warm_up = 29;
  double tolerance = 0.005;
  double threshold = 50;
  double fading = 0.9999;
  PageHinkleySides sides = PageHinkleySides::kUp;

  void Fields(auto&& field) {
    field("warm_up", warm_up, "Number of values at the beginning without a verdict.", {.min = 0});
    field("tolerance", tolerance, "How far a value may be above the mean without counting.",
          {.min = 0});
    field("threshold", threshold,
          "The sum that fires. A greater sum means fewer false alarms, but later alarms.",
          {.min = 0});
    field("fading", fading,
          "With `sides: up`: the share of the sum that is kept at each value. 1 forgets nothing.",
          {.min = 0, .max = 1});
    field("sides", sides, "Whether it watches for values that rise, or that rise or fall.");
  }
  std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const {
    return {{"warm_up", warm_up}};
  }
  friend bool operator==(const PageHinkleyConfig&, const PageHinkleyConfig&) = default;
};

struct PageHinkleyState {
  int64_t num_values = 0;
  double mean = 0;
  double rise = 0;  // The sum by which values exceeded the mean.
  double fall = 0;  // The same downward; 0 or less at first.
  double least_rise = 0;
  double greatest_fall = 0;
  bool drifted = false;

  void Fields(auto&& field) {
    field("num_values", num_values);
    field("mean", mean);
    field("rise", rise);
    field("fall", fall);
    field("least_rise", least_rise);
    field("greatest_fall", greatest_fall);
    field("drifted", drifted);
  }
  friend bool operator==(const PageHinkleyState&, const PageHinkleyState&) = default;
};

// O(1) time and memory per value. Never warns.
class PageHinkley {
 public:
  explicit PageHinkley(const PageHinkleyConfig& config, const PageHinkleyState& state = {})
      : config_(config), state_(state) {}

  DetectorSignal Update(double value);
  const PageHinkleyState& state() const { return state_; }

 private:
  // Returns by how much values have risen or fallen so far.
  double Excess() const;

  const PageHinkleyConfig config_;
  PageHinkleyState state_;
};

}  // namespace tidemill::supervisor::statistics

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::PageHinkleySides> {
  using Sides = tidemill::supervisor::statistics::PageHinkleySides;
  static constexpr std::pair<Sides, std::string_view> kNames[] = {{Sides::kUp, "up"},
                                                                  {Sides::kBoth, "both"}};
};
