// The losses of margins.
#pragma once

#include <optional>
#include <string_view>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct Hinge {
  static constexpr std::string_view kType = "hinge";
  static constexpr std::string_view kDoc =
      "For two classes and one output: max(0, margin - output) for class 1, max(0, margin + "
      "output) for class 0. It decides between classes; the sigmoid of the output is not a "
      "probability that was learned.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSigmoid;
  double margin = 1;

  void Fields(auto&& field) {
    field("margin", margin, "The output from which on a sample costs nothing.", {.min = 1e-9});
  }
  friend bool operator==(const Hinge&, const Hinge&) = default;
};

at::Tensor LossesOf(const Hinge& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const Hinge& spec, const at::Tensor& output, const at::Tensor& target);

struct MulticlassHinge {
  static constexpr std::string_view kType = "multiclass_hinge";
  static constexpr std::string_view kDoc =
      "For class labels, with one output for each class: the sum of max(0, margin - output of the "
      "class + another output) over the other classes, divided by the number of classes (Weston "
      "and Watkins, 1999). The softmax of the outputs is not a probability that was learned.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSoftmax;
  double margin = 1;

  void Fields(auto&& field) {
    field("margin", margin, "How much larger the output of the class must be to cost nothing.",
          {.min = 1e-9});
  }
  friend bool operator==(const MulticlassHinge&, const MulticlassHinge&) = default;
};

at::Tensor LossesOf(const MulticlassHinge& spec, const at::Tensor& output,
                    const at::Tensor& target);
at::Tensor GradientsOf(const MulticlassHinge& spec, const at::Tensor& output,
                       const at::Tensor& target);

}  // namespace tidemill::models
