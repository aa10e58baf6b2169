// Measures how much private memory this process and all that it started hold together.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/threads/periodic_task.h"

namespace tidemill::benchmarks {

// Looks every 50 ms while it lives. A page that a fork shares with its parent counts for each of
// them. Thread-safe.
class ProcessTreeMemory {
 public:
  // The greatest sum of RssAnon so far, in bytes.
  int64_t most() const { return most_.load(); }

 private:
  // Adds `process` and its descendants, from the lists of children of its threads.
  static void AddTree(pid_t process, std::vector<pid_t>& tree) {
    tree.push_back(process);
    std::error_code error;
    const std::string threads = "/proc/" + std::to_string(process) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(threads, error)) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) AddTree(child, tree);
    }
  }

  static int64_t AnonymousBytes(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string word; status >> word;) {
      int64_t kibibytes = 0;
      if (word == "RssAnon:" && status >> kibibytes) return kibibytes * 1024;
    }
    return 0;
  }

  absl::Status Look() {
    std::vector<pid_t> tree;
    AddTree(::getpid(), tree);
    int64_t sum = 0;
    for (const pid_t process : tree) sum += AnonymousBytes(process);
    most_.store(std::max(most_.load(), sum));
    return absl::OkStatus();
  }

  std::atomic<int64_t> most_ = 0;
  PeriodicTask looking_{"process_memory", std::chrono::milliseconds{50}, [this] { return Look(); }};
};

}  // namespace tidemill::benchmarks
