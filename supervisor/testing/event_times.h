// Event times of samples, for tests.
#pragma once

#include <cstdint>

namespace tidemill::supervisor::testing {

// In microseconds, as event times are.
inline constexpr int64_t kSecond = 1'000'000;

}  // namespace tidemill::supervisor::testing
