// Draws samples in proportion to their losses.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct LossSampling : Drawn {
  static constexpr std::string_view kType = "loss";
  static constexpr std::string_view kDoc = "Draws samples in proportion to their losses.";
  static constexpr std::string_view kRule = "probability in proportion to the loss";
  static constexpr std::string_view kWeights =
      "k / (N p); with priority, k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost = "one forward pass over the samples that are scored";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  void Fields(auto&& field) { Drawn::Fields(field); }
  friend bool operator==(const LossSampling&, const LossSampling&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const LossSampling& spec);

}  // namespace tidemill::trainer_server
