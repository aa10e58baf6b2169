// Measures the duration of a step.
#pragma once

#include <chrono>

namespace tidemill::supervisor {

// Starts when it is made. Immutable.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tidemill::supervisor
