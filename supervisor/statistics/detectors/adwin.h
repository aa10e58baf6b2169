// ADWIN: a window over the latest values that is as long as their mean is the same, and drops its
// older part when it is not (Bifet and Gavalda, "Learning from time-changing data with adaptive
// windowing", SDM 2007).
//
// The window is an exponential histogram: buckets of 1, 2, 4 ... values, at most `max_buckets` of
// each size, of which only sums and variances are kept.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/statistics/detectors/detector_signal.h"

namespace tidemill::supervisor::statistics {

// Ports that are in use test fewer cuts than the paper; for comparison with them.
enum class AdwinVariant : uint8_t {
  kAllCuts,              // As published.
  kSkipLast,             // Passes over the newest bucket of each size.
  kSkipLastAndVariance,  // In addition loses the variance of the older of two buckets that it
                         // merges.
};

struct AdwinConfig {
  static constexpr std::string_view kType = "adwin";
  static constexpr std::string_view kDoc =
      "ADWIN (Bifet and Gavalda, 2007). It keeps the latest values as long as their mean is the "
      "same, and fires when an older part of them differs.";
  double delta = 0.002;
  int64_t clock = 32;
  int64_t max_buckets = 5;
  int64_t min_window = 5;
  int64_t grace = 10;
  AdwinVariant cuts = AdwinVariant::kAllCuts;

  void Fields(auto&& field) {
    field("delta", delta, "Approximate chance of a false alarm at a check.",
          {.min = 1e-12, .max = 0.5});
    field("clock", clock,
          "Number of values between two checks. 1 sees drift sooner, at 32 times the cost.",
          {.min = 1});
    field("max_buckets", max_buckets,
          "Number of buckets of each size. More buckets remember more precisely.",
          {.min = 2, .max = 1000});
    field("min_window", min_window, "Least number of values on each side of a cut.", {.min = 1});
    field("grace", grace, "Number of values before the first check.", {.min = 2});
    field("cuts", cuts,
          "Which cuts to look at: all, as published, or only those that Python ports look at, for "
          "comparison with them.");
  }
  friend bool operator==(const AdwinConfig&, const AdwinConfig&) = default;
};

struct AdwinState {
  int64_t num_values = 0;  // Since the beginning.
  int64_t width = 0;       // Values in the window.
  double total = 0;        // Their sum.
  double variance = 0;     // Their sum of squared deviations.
  // Buckets, oldest first, so sizes do not ascend; and how many there are of 1, 2, 4 ... values.
  std::vector<double> totals = {};
  std::vector<double> variances = {};
  std::vector<int64_t> num_of_size = {};

  double mean() const { return width == 0 ? 0 : total / static_cast<double>(width); }

  void Fields(auto&& field) {
    field("num_values", num_values);
    field("width", width);
    field("total", total);
    field("variance", variance);
    field("totals", totals);
    field("variances", variances);
    field("num_of_size", num_of_size);
  }
  // Whether buckets and width agree; DATA_LOSS otherwise.
  absl::Status Check() const;
  friend bool operator==(const AdwinState&, const AdwinState&) = default;
};

// A window of W values takes O(max_buckets log W) memory, and as much time at a check; O(1)
// amortised between checks. Never warns. Goes on with the shortened window after a drift, and may
// report the same drift again as more of its values arrive.
class Adwin {
 public:
  explicit Adwin(const AdwinConfig& config, AdwinState state = {})
      : config_(config), state_(std::move(state)) {}

  DetectorSignal Update(double value);
  const AdwinState& state() const { return state_; }

 private:
  void Insert(double value);
  void Compress();
  void DropOldest();
  bool HasCut() const;
  // Whether the means of the oldest `older` values, which sum up to `sum`, and of the rest differ.
  bool Differ(double older, double sum) const;

  const AdwinConfig config_;
  AdwinState state_;
};

}  // namespace tidemill::supervisor::statistics

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::AdwinVariant> {
  using Variant = tidemill::supervisor::statistics::AdwinVariant;
  static constexpr std::pair<Variant, std::string_view> kNames[] = {
      {Variant::kAllCuts, "all"},
      {Variant::kSkipLast, "skip_last"},
      {Variant::kSkipLastAndVariance, "skip_last_and_variance"}};
};
