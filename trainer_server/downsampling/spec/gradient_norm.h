// Draws samples in proportion to the norms of their gradients.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct GradientNormSampling : Drawn {
  static constexpr std::string_view kType = "gradient_norm";
  static constexpr std::string_view kDoc =
      "Draws samples in proportion to an upper bound of the norm of their gradients.";
  static constexpr std::string_view kRule =
      "probability in proportion to ||dL/d outputs||, which is p - y for cross entropy; with `of: "
      "last_layer`, times sqrt(1 + ||embedding||^2)";
  static constexpr std::string_view kWeights =
      "k / (N p); with priority, k max(s, threshold) / (N s): the weighted mean stays unbiased";
  static constexpr std::string_view kCost =
      "one forward pass over the samples that are scored, with `of: last_layer` two";
  static constexpr std::string_view kSource =
      "Katharopoulos and Fleuret, Not All Samples Are Created Equal (ICML 2018)";
  GradientOf of = GradientOf::kOutputs;
  void Fields(auto&& field) {
    Drawn::Fields(field);
    field("of", of, "Which gradients.");
  }
  friend bool operator==(const GradientNormSampling&, const GradientNormSampling&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const GradientNormSampling& spec);

}  // namespace tidemill::trainer_server
