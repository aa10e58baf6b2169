// The loss for classes with one output for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct CrossEntropy {
  static constexpr std::string_view kType = "cross_entropy";
  static constexpr std::string_view kDoc = "For class labels, with one output for each class.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSoftmax;
  double label_smoothing = 0;
  std::vector<double> class_weights = {};

  void Fields(auto&& field) {
    field("label_smoothing", label_smoothing,
          "Share of the true class's probability that is spread over all classes.",
          {.min = 0, .max = 1});
    field("class_weights", class_weights, "Factor for the loss of each class. Empty: 1 for each.",
          {.min = 0});
  }
  friend bool operator==(const CrossEntropy&, const CrossEntropy&) = default;
};

at::Tensor LossesOf(const CrossEntropy& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const CrossEntropy& spec, const at::Tensor& output,
                       const at::Tensor& target);

template <>
class LossOf<CrossEntropy> final : public LossBase<CrossEntropy> {
 public:
  std::optional<config::Remark> FindOutputsProblem(int64_t outputs) const override {
    return FindWeightsProblem("class_weights", spec_.class_weights, outputs);
  }
};

}  // namespace tidemill::models
