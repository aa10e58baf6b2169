// Measures what makers of batches could have used since they began: threads and processors.
#pragma once

#include <cstdint>

#include "loader/path_work.h"

namespace tidemill::loader {

// The use of the processors on which this process may run, in nanoseconds since some time. All
// zeros where the kernel does not tell.
struct ProcessorUse {
  int64_t total_ns = 0;    // The time of all of them together.
  int64_t busy_ns = 0;     // The part in which they ran anything, of any process.
  int64_t process_ns = 0;  // The part that this process had.

  static ProcessorUse Now();
};

// Begins when it is made. Thread-safe.
class PathClock {
 public:
  PathClock();

  // Sets the capacity of `num_threads` threads and the use of the processors, from the beginning
  // until now. Reads a file of the kernel, so it is for reports, not for each batch.
  void Fill(int num_threads, PathWork& work) const;

 private:
  const int64_t began_ns_;
  const ProcessorUse began_;
};

// The capacity of threads whose number changes. Thread-compatible.
class ThreadCapacity {
 public:
  explicit ThreadCapacity(int num_threads);

  void SetThreads(int num_threads);
  // The number of threads times the time for which it held, in nanoseconds.
  int64_t Nanos() const;

 private:
  int num_threads_;
  int64_t since_ns_;
  int64_t before_ns_ = 0;
};

}  // namespace tidemill::loader
