// The `selection` section of a pipeline: on which samples a trigger trains.
//
//   selection: new_data
//   selection: {type: uniform, fraction: 0.25, over: all, weights: inverse_probability}
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/config.h"

namespace tidemill::selector {

// All samples that came since the trigger before.
struct NewData {
  static constexpr std::string_view kType = "new_data";
  static constexpr std::string_view kDoc = "Trains on all samples since the trigger before.";
  std::optional<int64_t> limit = std::nullopt;

  void Fields(auto&& field) {
    field("limit", limit, "Keep only this many of them, the latest in the stream.", {.min = 1});
  }
};

// From where a policy draws.
enum class Pool { kNew, kAll };

// What weight a drawn sample gets in the loss.
enum class Weighting { kNone, kInverseProbability };

// A uniform draw without replacement.
struct Uniform {
  static constexpr std::string_view kType = "uniform";
  static constexpr std::string_view kDoc =
      "Trains on samples drawn uniformly, each at most once, as many as stated.";
  std::optional<double> fraction = std::nullopt;
  std::optional<int64_t> samples = std::nullopt;
  Pool over = Pool::kNew;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    field("fraction", fraction,
          "Share of the candidates to draw, rounded to the nearest number of samples, at least 1.",
          {.min = 0, .max = 1, .example = "0.25"});
    field("samples", samples, "Number of samples to draw; all of them when there are fewer.",
          {.min = 1, .example = "10_000"});
    field("over", over, "Draw from the samples since the trigger before, or from all so far.");
    field("weights", weights,
          "`inverse_probability` weighs each drawn sample by candidates / drawn in the loss.");
  }
  void Check(config::Problems& problems) const {
    if (fraction.has_value() == samples.has_value()) {
      problems.Add("", "needs exactly one of `fraction` and `samples`", "write fraction: 0.25");
    } else if (fraction && *fraction <= 0) {
      problems.Add("fraction", "draws nothing", "write a number in (0, 1]");
    }
  }
};

// A new policy is one line here and one file in selector/policies/.
using SelectionSpec = std::variant<NewData, Uniform>;

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Pool> {
  static constexpr std::pair<tidemill::selector::Pool, std::string_view> kNames[] = {
      {tidemill::selector::Pool::kNew, "new"}, {tidemill::selector::Pool::kAll, "all"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::selector::Weighting> {
  static constexpr std::pair<tidemill::selector::Weighting, std::string_view> kNames[] = {
      {tidemill::selector::Weighting::kNone, "none"},
      {tidemill::selector::Weighting::kInverseProbability, "inverse_probability"}};
};
