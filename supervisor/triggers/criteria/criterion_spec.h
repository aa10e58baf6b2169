// The criteria by which a policy decides from a score whether to retrain.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "supervisor/statistics/forecasts/forecast.h"

namespace tidemill::supervisor {

struct ThresholdCriterion {
  static constexpr std::string_view kType = "threshold";
  static constexpr std::string_view kDoc =
      "Fires at a score that is as bad as a given one, or worse.";
  double at = 0;

  void Fields(auto&& field) {
    field("at", at, "The score that fires.", {.required = true, .example = "0.1"});
  }
};

struct QuantileCriterion {
  static constexpr std::string_view kType = "quantile";
  static constexpr std::string_view kDoc =
      "Fires at a score that is worse than nearly all scores before it. The first score fires.";
  double tail = 0.05;
  int64_t history = 10;

  void Fields(auto&& field) {
    field("tail", tail,
          "The share of the earlier scores that may be worse. It gives a quantile, interpolated "
          "linearly, with this share on its bad side.",
          {.min = 1e-6, .max = 0.999999});
    field("history", history, "Number of the last scores to look at.", {.min = 1, .max = 100'000});
  }
};

struct RollingAverageCriterion {
  static constexpr std::string_view kType = "rolling_average";
  static constexpr std::string_view kDoc =
      "Fires at a score that is worse than the mean of the scores before it by a given amount. The "
      "first score fires.";
  double deviation = 0.05;
  bool relative = true;
  int64_t history = 10;

  void Fields(auto&& field) {
    field("deviation", deviation, "The amount, in the unit of the score or as a share of the mean.",
          {.min = 0});
    field("relative", relative, "Whether `deviation` is a share of the mean.");
    field("history", history, "Number of the last scores to look at.", {.min = 1, .max = 100'000});
  }
};

struct PValueCriterion {
  static constexpr std::string_view kType = "p_value";
  static constexpr std::string_view kDoc =
      "Fires at a difference that chance would seldom make. Repeated tests at a level `alpha` fire "
      "in the share `alpha` of all evaluations even if nothing drifts; see `spend`.";
  double alpha = 0.05;
  bool spend = false;

  void Fields(auto&& field) {
    field("alpha", alpha, "Fires below this p-value.", {.min = 1e-9, .max = 0.999999});
    field("spend", spend,
          "Whether `alpha` is the chance of any false alarm from one training to the next, however "
          "many tests there are. The t-th test then uses the level 6 alpha / (pi^2 t^2), so later "
          "tests need clearer drift.");
  }
};

struct AutoCriterion {
  static constexpr std::string_view kType = "auto";
  static constexpr std::string_view kDoc =
      "Uses a threshold that gives a stated number of false alarms a month. After each training, "
      "it is found by scoring windows that are drawn at random from the samples before the "
      "training. Among these nothing drifts.";
  double alarms_per_month = 1;
  int64_t history = 5000;
  int64_t scores = 1000;

  void Fields(auto&& field) {
    field("alarms_per_month", alarms_per_month,
          "Trainings that only chance causes, in a month of 30.4 days of event time. Where current "
          "windows overlap, the evaluations that share samples count together, and those until the "
          "window is full again as well. If there are no more evaluations in a month than this, "
          "each evaluation fires.",
          {.min = 1e-3, .max = 1e6});
    field("history", history,
          "Windows are drawn from this many of the last samples before the training. If there are "
          "fewer samples, all are used, provided that both windows fit. If a training came before "
          "both windows fitted, another training follows once there are this many samples, or "
          "twice as many as both windows take.",
          {.min = 4, .max = 1'000'000});
    field("scores", scores,
          "Number of windows to score, or more if the threshold needs more. With more windows, the "
          "rate of alarms is closer to the stated one, but an evaluation after a training takes "
          "longer.",
          {.min = 10, .max = 200'000});
  }
};

struct AvoidableErrorsCriterion {
  static constexpr std::string_view kType = "avoidable_errors";
  static constexpr std::string_view kDoc =
      "Fires once the model has made a given number of mistakes that a new model would not have "
      "made.";
  int64_t at_least = 100;
  std::optional<double> expected_accuracy = std::nullopt;
  int64_t trainings = 10;
  bool may_fall = false;
  std::optional<statistics::ForecastMethod> forecast = std::nullopt;

  void Fields(auto&& field) {
    field("at_least", at_least, "Fires at this many avoidable mistakes since the last training.",
          {.min = 1, .required = true, .example = "100"});
    field("expected_accuracy", expected_accuracy,
          "Accuracy of a new model. By default the mean accuracy of earlier new models, each on "
          "the first interval after its training, which no model has seen.",
          {.min = 0, .max = 1, .example = "0.9"});
    field("trainings", trainings,
          "Without `expected_accuracy`: the number of the last new models that count.",
          {.min = 1, .max = 10'000});
    field("may_fall", may_fall,
          "Whether an interval that is better than expected reduces the number of mistakes.");
    field("forecast", forecast,
          "Looks one interval ahead. Fires if the mistakes of the next interval would be enough, "
          "at the accuracy that is forecast from the intervals since the training. "
          "rolling_average: the forecast is their mean. ridge: it is the line through them, from "
          "five intervals on. By default it does not look ahead.");
  }
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::statistics::ForecastMethod> {
  using Method = tidemill::supervisor::statistics::ForecastMethod;
  static constexpr std::pair<Method, std::string_view> kNames[] = {
      {Method::kRidge, "ridge"}, {Method::kRollingAverage, "rolling_average"}};
};
