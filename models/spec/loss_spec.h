// What a network is trained to make small.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

struct CrossEntropy {
  static constexpr std::string_view kType = "cross_entropy";
  static constexpr std::string_view kDoc = "For class labels, one output for each class.";
  double label_smoothing = 0;
  std::vector<double> class_weights = {};

  void Fields(auto&& field) {
    field("label_smoothing", label_smoothing, "Share of the truth that is spread over all classes.",
          {.min = 0, .max = 1});
    field("class_weights", class_weights,
          "What to multiply the loss of each class by; none for 1 each.", {.min = 0});
  }
  friend bool operator==(const CrossEntropy&, const CrossEntropy&) = default;
};

struct Mse {
  static constexpr std::string_view kType = "mse";
  static constexpr std::string_view kDoc = "Squared errors, for real labels.";

  void Fields(auto&&) {}
  friend bool operator==(const Mse&, const Mse&) = default;
};

struct BceWithLogits {
  static constexpr std::string_view kType = "bce_with_logits";
  static constexpr std::string_view kDoc =
      "For two classes with one output, whose sigmoid is the probability of class 1.";
  double positive_weight = 1;

  void Fields(auto&& field) {
    field("positive_weight", positive_weight, "What to multiply the loss of class 1 by.",
          {.min = 0});
  }
  friend bool operator==(const BceWithLogits&, const BceWithLogits&) = default;
};

struct L1 {
  static constexpr std::string_view kType = "l1";
  static constexpr std::string_view kDoc = "Absolute errors, for real labels with outliers.";

  void Fields(auto&&) {}
  friend bool operator==(const L1&, const L1&) = default;
};

struct Huber {
  static constexpr std::string_view kType = "huber";
  static constexpr std::string_view kDoc =
      "Half of squared errors up to delta, beyond it delta * (error - delta / 2) (Huber, 1964).";
  double delta = 1;

  void Fields(auto&& field) {
    field("delta", delta, "Where squares turn into lines.", {.min = 1e-9});
  }
  friend bool operator==(const Huber&, const Huber&) = default;
};

// A new loss is one struct here and its formula in loss.cc.
using Loss = std::variant<CrossEntropy, Mse, BceWithLogits, L1, Huber>;

// Whether it compares classes; else real numbers.
inline bool IsOfClasses(const Loss& loss) {
  return std::holds_alternative<CrossEntropy>(loss) || std::holds_alternative<BceWithLogits>(loss);
}

// "cross_entropy", "mse" ...
inline std::string TypeName(const Loss& loss) {
  return std::string(std::visit([](const auto& one) { return one.kType; }, loss));
}

}  // namespace tidemill::models
