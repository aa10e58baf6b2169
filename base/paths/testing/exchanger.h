// An attacker who exchanges files, folders and links while others open them.
#pragma once

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "base/threads/worker_pool.h"

namespace tidemill::testing {

// Exchanges two entries of folders again and again until it is destroyed, each time atomically for
// all observers.
class Exchanger {
 public:
  Exchanger(std::string one, std::string other) : one_(std::move(one)), other_(std::move(other)) {
    thread_.Submit([this] {
      while (!stop_) {
        ::renameat2(AT_FDCWD, one_.c_str(), AT_FDCWD, other_.c_str(), RENAME_EXCHANGE);
        ++rounds_;
      }
    });
  }
  ~Exchanger() { stop_ = true; }
  Exchanger(const Exchanger&) = delete;
  Exchanger& operator=(const Exchanger&) = delete;

  int64_t rounds() const { return rounds_; }

 private:
  const std::string one_;
  const std::string other_;
  std::atomic<bool> stop_ = false;
  std::atomic<int64_t> rounds_ = 0;
  WorkerPool thread_{"exchange", 1};  // The last member: it ends first.
};

}  // namespace tidemill::testing
