// ADWIN: a window over the latest values that grows while their mean stays the same, and drops its
// older part when the mean changes (Bifet and Gavalda, "Learning from time-changing data with
// adaptive windowing", SDM 2007).
//
// The window is an exponential histogram: buckets of 1, 2, 4 ... values, at most `max_buckets` of
// each size. Only the sum and the variance of a bucket are kept.
//   oldest                                              newest
//   [   8   ][   8   ][  4 ][  4 ][ 2 ][ 2 ][ 2 ][1][1]   <- a value is a bucket of 1
//                     ^
//                     a cut: do the means of its two sides differ by more than chance allows?
//
// A bucket too many of one size makes the two oldest of that size merge into one of the next size.
// A cut at which the means differ drops the oldest bucket, until there is no such cut. The window
// therefore forgets a past that no longer holds and keeps one that does, without a size to set.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "config/config.h"
#include "supervisor/statistics/detectors/detector.h"

namespace tidemill::supervisor::statistics {

// The variants of the algorithm. Implementations in use test fewer cuts than the paper; they are
// for comparison.
enum class AdwinVariant : uint8_t {
  kAllCuts,              // As published.
  kSkipLast,             // Skips the newest bucket of each size.
  kSkipLastAndVariance,  // Also loses the variance of the older of two buckets that it merges.
};

struct AdwinConfig {
  static constexpr std::string_view kType = "adwin";
  static constexpr std::string_view kDoc =
      "ADWIN (Bifet and Gavalda, 2007). It keeps the latest values as long as their mean is the "
      "same, and fires when an older part of them differs.";
  static constexpr bool kCountsMistakes = false;
  double delta = 0.002;
  int64_t clock = 32;
  int64_t max_buckets = 5;
  int64_t min_window = 5;
  int64_t grace = 10;
  AdwinVariant cuts = AdwinVariant::kAllCuts;

  void Fields(auto&& field) {
    field(
        "delta", delta,
        "Upper bound of the chance of a false alarm at a check. The bound adds up all cuts of the "
        "window and is wide: of independent errors, false alarms are rarer by a factor of 100 "
        "and more. Raise it, up to 0.5, to see drift sooner.",
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
  std::vector<std::pair<std::string_view, int64_t>> NumbersOfValues() const {
    return {{"grace", grace}, {"clock", clock}, {"min_window", min_window}};
  }
  friend bool operator==(const AdwinConfig&, const AdwinConfig&) = default;
};

struct AdwinState {
  int64_t num_values = 0;  // Counted since the beginning.
  int64_t width = 0;       // The number of values in the window.
  double total = 0;        // Their sum.
  double variance = 0;     // Their sum of squared deviations.
  // The buckets, oldest first, so that sizes do not ascend; and the number of buckets of 1, 2, 4
  // ... values.
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
  // Checks that the buckets fit the width. DATA_LOSS otherwise.
  absl::Status Check() const;
  friend bool operator==(const AdwinState&, const AdwinState&) = default;
};

// A window of W values takes O(max_buckets log W) memory, and as much time for a check. Between
// checks, it takes amortised O(1) time. Never warns. After a drift it continues with the shortened
// window. It may report the same drift again as more of its values arrive.
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
  // Whether the mean of the oldest `older` values, whose sum is `sum`, differs from the mean of the
  // rest.
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
