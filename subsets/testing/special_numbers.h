// Values that are not numbers or are infinite, for tests.
#pragma once

#include <limits>

namespace tidemill::subsets::testing {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace tidemill::subsets::testing
