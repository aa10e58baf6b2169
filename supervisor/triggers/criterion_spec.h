// The criteria by which a policy decides from a score whether to retrain.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "supervisor/statistics/forecast.h"

namespace tidemill::supervisor {

struct ThresholdCriterion {
  static constexpr std::string_view kType = "threshold";
  static constexpr std::string_view kDoc = "A score as bad as this, or worse, fires.";
  double at = 0;

  void Fields(auto&& field) {
    field("at", at, "The score that fires.", {.required = true, .example = "0.1"});
  }
};

struct QuantileCriterion {
  static constexpr std::string_view kType = "quantile";
  static constexpr std::string_view kDoc =
      "A score worse than nearly all of the scores before fires; the first score does.";
  double tail = 0.05;
  int64_t history = 10;

  void Fields(auto&& field) {
    field("tail", tail,
          "The share of the scores before that may be worse: the quantile, interpolated linearly, "
          "that leaves as many on the bad side.",
          {.min = 1e-6, .max = 0.999999});
    field("history", history, "So many of the last scores are looked at.",
          {.min = 1, .max = 100'000});
  }
};

struct RollingAverageCriterion {
  static constexpr std::string_view kType = "rolling_average";
  static constexpr std::string_view kDoc =
      "A score that is worse than the mean of the scores before by so much fires; the first score "
      "does.";
  double deviation = 0.05;
  bool relative = true;
  int64_t history = 10;

  void Fields(auto&& field) {
    field("deviation", deviation,
          "By how much, in the unit of the score or as a share of the mean.", {.min = 0});
    field("relative", relative, "Whether `deviation` is a share of the mean.");
    field("history", history, "So many of the last scores are looked at.",
          {.min = 1, .max = 100'000});
  }
};

struct PValueCriterion {
  static constexpr std::string_view kType = "p_value";
  static constexpr std::string_view kDoc =
      "A difference that chance would seldom make fires. Tests repeated at a level `alpha` fire in "
      "`alpha` of all evaluations though nothing drifts; see `spend`.";
  double alpha = 0.05;
  bool spend = false;

  void Fields(auto&& field) {
    field("alpha", alpha, "Fires below this p-value.", {.min = 1e-9, .max = 0.999999});
    field("spend", spend,
          "Whether `alpha` is the chance of any false alarm from one training to the next, however "
          "many tests there are: the t-th of them is then held against 6 alpha / (pi^2 t^2), so "
          "that later ones need ever clearer drift.");
  }
};

struct AutoCriterion {
  static constexpr std::string_view kType = "auto";
  static constexpr std::string_view kDoc =
      "A threshold that raises a stated number of false alarms a month, found after each training "
      "by scoring windows drawn at random from the samples before it, among which nothing drifts.";
  double alarms_per_month = 1;
  int64_t history = 5000;
  int64_t scores = 1000;

  void Fields(auto&& field) {
    field("alarms_per_month", alarms_per_month,
          "Trainings a month, of 30.4 days of event time, that nothing but chance brings about. "
          "Where there are no more evaluations a month than that, each of them fires.",
          {.min = 1e-3, .max = 1e6});
    field("history", history,
          "So many of the last samples before the training are drawn from, or as many as there "
          "are, if both windows have room among them. A training before that is followed by "
          "another one once there are so many, or twice as many as both windows take.",
          {.min = 4, .max = 1'000'000});
    field(
        "scores", scores,
        "Windows scored, or as many as the threshold needs at least: with more the rate of "
        "alarms is closer to what was asked for, and an evaluation after a training takes longer.",
        {.min = 10, .max = 200'000});
  }
};

struct AvoidableErrorsCriterion {
  static constexpr std::string_view kType = "avoidable_errors";
  static constexpr std::string_view kDoc =
      "Fires once so many mistakes have been made that a new model would not have made.";
  int64_t at_least = 100;
  std::optional<double> expected_accuracy = std::nullopt;
  int64_t trainings = 10;
  bool may_fall = false;
  std::optional<statistics::ForecastMethod> forecast = std::nullopt;

  void Fields(auto&& field) {
    field("at_least", at_least, "Avoidable mistakes since the last training that fire.",
          {.min = 1, .required = true, .example = "100"});
    field("expected_accuracy", expected_accuracy,
          "Accuracy of a new model. By default the mean of what new ones achieved: each on the "
          "first interval after its training, which no model has seen.",
          {.min = 0, .max = 1, .example = "0.9"});
    field("trainings", trainings,
          "So many of the last new models count, without `expected_accuracy`.",
          {.min = 1, .max = 10'000});
    field("may_fall", may_fall, "Whether an interval better than expected takes mistakes away.");
    field(
        "forecast", forecast,
        "Looks one interval ahead: fires if the mistakes of the next one, at the accuracy that is "
        "forecast from the intervals since the training, would be enough. rolling_average: their "
        "mean. ridge: the line through them, from five on. By default it does not look ahead.");
  }
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::ForecastMethod> {
  using Method = tidemill::supervisor::statistics::ForecastMethod;
  static constexpr std::pair<Method, std::string_view> kNames[] = {
      {Method::kRidge, "ridge"}, {Method::kRollingAverage, "rolling_average"}};
};
