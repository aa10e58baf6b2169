// Choices of a `training` section that have no settings.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

// When ops that learn from data do so.
enum class Fit { kFirstTrigger, kEachTrigger };
// The precision of the products of a forward pass.
enum class Precision { kFloat32, kBfloat16, kFloat16 };
// The divisor of the weighted losses of a batch.
enum class WeightedLoss { kUnbiased, kSelfNormalised };

}  // namespace tidemill::models

namespace tidemill::config {

template <>
struct EnumNames<models::Precision> {
  static constexpr std::pair<models::Precision, std::string_view> kNames[] = {
      {models::Precision::kFloat32, "float32"},
      {models::Precision::kBfloat16, "bfloat16"},
      {models::Precision::kFloat16, "float16"}};
};
template <>
struct EnumNames<models::WeightedLoss> {
  static constexpr std::pair<models::WeightedLoss, std::string_view> kNames[] = {
      {models::WeightedLoss::kUnbiased, "unbiased"},
      {models::WeightedLoss::kSelfNormalised, "self_normalised"}};
};
template <>
struct EnumNames<models::Fit> {
  static constexpr std::pair<models::Fit, std::string_view> kNames[] = {
      {models::Fit::kFirstTrigger, "first_trigger"}, {models::Fit::kEachTrigger, "each_trigger"}};
};

}  // namespace tidemill::config
