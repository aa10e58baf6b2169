// The losses that give easy samples a small weight.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct Focal {
  static constexpr std::string_view kType = "focal";
  static constexpr std::string_view kDoc =
      "For two classes of which one is rare, and one output: -a * (1 - p)^gamma * log(p), where p "
      "is the probability of the sample's class (Lin et al., 2017, equation 5). The sigmoid of the "
      "output is the probability of class 1.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSigmoid;
  double gamma = 2;
  double alpha = 0.25;

  void Fields(auto&& field) {
    field("gamma", gamma,
          "How little samples count that are told apart well. 0: as much as others.",
          {.min = 0, .max = 100});
    field("alpha", alpha, "The factor a of class 1. The factor of class 0 is 1 - alpha.",
          {.min = 0, .max = 1});
  }
  friend bool operator==(const Focal&, const Focal&) = default;
};

at::Tensor LossesOf(const Focal& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const Focal& spec, const at::Tensor& output, const at::Tensor& target);

struct MulticlassFocal {
  static constexpr std::string_view kType = "multiclass_focal";
  static constexpr std::string_view kDoc =
      "The same for class labels, with one output for each class: p is the softmax of the outputs "
      "at the sample's class.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSoftmax;
  double gamma = 2;
  std::vector<double> alpha = {};

  void Fields(auto&& field) {
    field("gamma", gamma,
          "How little samples count that are told apart well. 0: as much as others.",
          {.min = 0, .max = 100});
    field("alpha", alpha, "The factor of each class. Empty: 1 for each.", {.min = 0});
  }
  friend bool operator==(const MulticlassFocal&, const MulticlassFocal&) = default;
};

at::Tensor LossesOf(const MulticlassFocal& spec, const at::Tensor& output,
                    const at::Tensor& target);
at::Tensor GradientsOf(const MulticlassFocal& spec, const at::Tensor& output,
                       const at::Tensor& target);

template <>
class LossOf<MulticlassFocal> final : public LossBase<MulticlassFocal> {
 public:
  std::optional<config::Remark> FindOutputsProblem(int64_t outputs) const override {
    return FindWeightsProblem("alpha", spec_.alpha, outputs);
  }
};

}  // namespace tidemill::models
