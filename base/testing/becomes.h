// Waits for what other processes do.
#pragma once

#include <chrono>
#include <concepts>
#include <thread>

namespace tidemill::testing {

// Whether a condition holds within a minute. It is evaluated twenty times a second.
bool Becomes(std::predicate auto&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace tidemill::testing
