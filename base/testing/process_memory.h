// How much memory of their own processes come to hold while something stands still.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::testing {

// What a reader that stands still may cost a process; sanitizers keep what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int64_t kStallBudget = int64_t{1} << 30;
#else
inline constexpr int64_t kStallBudget = int64_t{64} << 20;
#endif

// RssAnon: pages that are no file's.
inline int64_t AnonymousBytesOf(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    int64_t kibibytes = 0;
    if (word == "RssAnon:" && status >> kibibytes) return kibibytes * 1024;
  }
  ADD_FAILURE() << "process " << process << " has no memory";
  return 0;
}

// Watches processes from where it is made.
class MemoryGrowth {
 public:
  explicit MemoryGrowth(std::vector<pid_t> processes) : processes_(std::move(processes)) {
    before_ = Now();
  }

  // Waits until none of them has grown for two seconds, or for TIDEMILL_STALL_SECONDS; returns the
  // most that one has grown by meanwhile.
  int64_t AwaitSettled() const {
    using Clock = std::chrono::steady_clock;
    constexpr int64_t kStill = 256 << 10;
    const char* const asked = std::getenv("TIDEMILL_STALL_SECONDS");
    const std::chrono::seconds patience{asked == nullptr ? 2 : std::atoi(asked)};
    const Clock::time_point give_up = Clock::now() + patience + std::chrono::seconds{60};
    std::vector<int64_t> settled = Now();
    int64_t most = 0;
    for (Clock::time_point since = Clock::now();
         Clock::now() < since + patience && Clock::now() < give_up;
         std::this_thread::sleep_for(std::chrono::milliseconds{50})) {
      const std::vector<int64_t> now = Now();
      for (size_t i = 0; i < now.size(); ++i) {
        most = std::max(most, now[i] - before_[i]);
        if (now[i] < settled[i] + kStill) continue;
        settled[i] = now[i];
        since = Clock::now();
      }
    }
    return most;
  }

 private:
  std::vector<int64_t> Now() const {
    std::vector<int64_t> bytes;
    for (const pid_t process : processes_) bytes.push_back(AnonymousBytesOf(process));
    return bytes;
  }

  const std::vector<pid_t> processes_;
  std::vector<int64_t> before_;
};

}  // namespace tidemill::testing
