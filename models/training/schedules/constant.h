// A constant learning rate.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"

namespace tidemill::models {

struct Constant {
  static constexpr std::string_view kType = "constant";
  static constexpr std::string_view kDoc = "The learning rate stays the same.";

  void Fields(auto&&) {}
  double LearningRateFactor(int64_t /*step*/, int64_t /*total*/) const { return 1; }
  friend bool operator==(const Constant&, const Constant&) = default;
};

}  // namespace tidemill::models
