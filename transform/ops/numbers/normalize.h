// normalize: shifts and scales numbers by stated values.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct NormalizeSpec {
  static constexpr std::string_view kType = "normalize";
  static constexpr std::string_view kDoc =
      "Makes float32 numbers (x * scale - mean) / std, computed in double precision. For images, "
      "mean and std may have one number for each channel. A result that is not finite makes a bad "
      "sample.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  double scale = 1;
  std::vector<double> mean = {};
  std::vector<double> deviation = {};
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of numbers.",
          config::Limits{.required = true, .example = "image"});
    field("scale", scale,
          "The factor that each number is multiplied by first. 0.00392156862745098 is 1/255.");
    field("mean", mean, "What to subtract: one number, or one for each channel. Empty: 0.",
          config::Limits{.example = "[0.286]"});
    field("std", deviation, "What to divide by: one number, or one for each channel. Empty: 1.",
          config::Limits{.example = "[0.353]"});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const NormalizeSpec&, const NormalizeSpec&) = default;
};

}  // namespace tidemill::transform
