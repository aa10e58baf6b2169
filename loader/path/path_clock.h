// Measures what makers of batches could have used since they began: threads and processors.
#pragma once

#include <cstdint>

#include "loader/path/path_work.h"

namespace tidemill::loader {

// The use of the processors on which this process may run, in nanoseconds since some time. All
// zeros if the kernel does not tell.
struct ProcessorUse {
  int64_t total_ns = 0;    // The time of all of them together.
  int64_t busy_ns = 0;     // The part in which they ran anything, of any process.
  int64_t process_ns = 0;  // The part that this process had.

  static ProcessorUse Now();
};

// Begins when it is made, with a number of threads that may change. Thread-compatible.
class PathClock {
 public:
  explicit PathClock(int num_threads);

  // From now on there are this many threads.
  void SetThreads(int num_threads);

  // Sets the capacity of the threads and the use of the processors, from the beginning until now.
  // Reads a file of the kernel, so it is for reports, not for each batch.
  void Fill(PathWork& work) const;

 private:
  const ProcessorUse began_;
  int num_threads_;
  // When their number changed last, and the capacity until then.
  int64_t changed_ns_;
  int64_t capacity_ns_ = 0;
};

}  // namespace tidemill::loader
