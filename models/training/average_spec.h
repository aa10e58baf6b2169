// The `average` of a `training` section: the mean of the weights over the last steps.
//
//   average: {type: ema, decay: 0.999}
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

enum class AverageType { kEma };

struct Average {
  static constexpr std::string_view kDoc =
      "Keeps an average of the weights beside those that are trained. The model of the training is "
      "the average, and held-out samples are measured with it. The next training with warm_start "
      "begins with it, too. Checkpoints hold both. Numbers of batch normalisation are averaged as "
      "weights are.";
  AverageType type = AverageType::kEma;
  double decay = 0.999;
  bool rise = true;

  void Fields(auto&& field) {
    field("type", type,
          "ema: an exponential moving average, which forgets old weights step by step.",
          {.required = true, .example = "ema"});
    field("decay", decay, "Share of the average that a step keeps.",
          {.min = 0, .max = 0.999999, .example = "0.999"});
    field(
        "rise", rise,
        "Keep less in the first steps, (1 + step) / (10 + step) at most, so that a short training "
        "does not end near its first weights.");
  }
  friend bool operator==(const Average&, const Average&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::AverageType> {
  using Type = tidemill::models::AverageType;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kEma, "ema"}};
};
