// Measures how much private memory processes gain while something stands still.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::testing {

// The bytes that a reader that stands still may cost a process. Sanitizers keep freed memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int64_t kStallBudget = int64_t{1} << 30;
#else
inline constexpr int64_t kStallBudget = int64_t{64} << 20;
#endif

// Returns RssAnon: the pages that do not belong to a file.
inline int64_t AnonymousBytesOf(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    int64_t kibibytes = 0;
    if (word == "RssAnon:" && status >> kibibytes) return kibibytes * 1024;
  }
  ADD_FAILURE() << "process " << process << " has no memory";
  return 0;
}

// Waits until a process holds at most `most` bytes, but no longer than `patience`. Returns what it
// holds.
inline int64_t AwaitAtMost(pid_t process, int64_t most, std::chrono::seconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  int64_t bytes = AnonymousBytesOf(process);
  while (bytes > most && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    bytes = AnonymousBytesOf(process);
  }
  return bytes;
}

// Watches processes from its construction on.
class MemoryGrowth {
 public:
  explicit MemoryGrowth(std::vector<pid_t> processes) : processes_(std::move(processes)) {
    before_ = Now();
  }

  // Waits until none of them has grown for two seconds, or for TIDEMILL_STALL_SECONDS. Returns the
  // greatest growth, and prints the growth of each.
  int64_t AwaitSettled() const {
    using Clock = std::chrono::steady_clock;
    constexpr int64_t kStill = 256 << 10;
    const char* const asked = std::getenv("TIDEMILL_STALL_SECONDS");
    const std::chrono::seconds patience{asked == nullptr ? 2 : std::atoi(asked)};
    const Clock::time_point give_up = Clock::now() + patience + std::chrono::seconds{60};
    std::vector<int64_t> settled = Now();
    std::vector<int64_t> most(processes_.size());
    const Clock::time_point begin = Clock::now();
    for (Clock::time_point since = Clock::now();
         Clock::now() < since + patience && Clock::now() < give_up;
         std::this_thread::sleep_for(std::chrono::milliseconds{50})) {
      const std::vector<int64_t> now = Now();
      for (size_t i = 0; i < now.size(); ++i) {
        most[i] = std::max(most[i], now[i] - before_[i]);
        if (now[i] < settled[i] + kStill) continue;
        settled[i] = now[i];
        since = Clock::now();
      }
    }
    Print(most, std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin));
    return *std::max_element(most.begin(), most.end());
  }

 private:
  void Print(const std::vector<int64_t>& most, std::chrono::seconds waited) const {
    for (size_t i = 0; i < most.size(); ++i) {
      std::string name;
      std::ifstream("/proc/" + std::to_string(processes_[i]) + "/comm") >> name;
      std::cout << name << ": RssAnon " << before_[i] / 1024 << " kB, at most " << most[i] / 1024
                << " kB more in " << waited.count() << " s\n";
    }
  }
  std::vector<int64_t> Now() const {
    std::vector<int64_t> bytes;
    for (const pid_t process : processes_) bytes.push_back(AnonymousBytesOf(process));
    return bytes;
  }

  const std::vector<pid_t> processes_;
  std::vector<int64_t> before_;
};

}  // namespace tidemill::testing
