// The work of making batches, as the time of the threads that make them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "transform/engine/op_counters.h"

namespace tidemill::loader {

// What a consumer of a shared stream did (loader/shared/shared_stream.h). Rows that it made while
// it was alone are not counted.
struct SharedWork {
  // Rows that this consumer made for all, that it took from others, and that it made although
  // another one had made them, because they were gone.
  int64_t made = 0;
  int64_t taken = 0;
  int64_t again = 0;
  // Chunks that could not be put into shared memory, or whose bytes were damaged there.
  int64_t failed = 0;
  // The time for which threads waited for chunks that others made, or for room.
  int64_t wait_ns = 0;

  friend bool operator==(const SharedWork&, const SharedWork&) = default;
};

// Adds `more`, `factor` times.
void Add(const SharedWork& more, int64_t factor, SharedWork& total);

// The work in nanoseconds. It is added up over threads, and by Merge() over processes.
struct PathWork {
  int64_t batches = 0;
  int64_t rows = 0;
  int64_t bytes = 0;
  // `busy_ns` is the whole time of making batches. The others are parts of it: on a processor;
  // ready to run while other threads used all processors; waiting for samples from storage.
  int64_t busy_ns = 0;
  int64_t cpu_ns = 0;
  int64_t queue_ns = 0;
  int64_t read_ns = 0;
  // Samples that were found where prepared samples are kept, and the time of looking for them.
  int64_t found = 0;
  int64_t find_ns = 0;
  // The time for which the threads could have been busy: their number times the elapsed time.
  int64_t capacity_ns = 0;
  // The first is the time for which finished batches waited for the link. The second is the elapsed
  // time. Both are added up over links, and 0 without a link.
  int64_t link_busy_ns = 0;
  int64_t link_ns = 0;
  // On the machines whose threads make batches: the time of the processors, the part in which
  // they ran anything, and the part that the processes of these threads had. 0 where unknown. A
  // machine with several such processes counts several times in the first two, whose ratio holds.
  int64_t processors_ns = 0;
  int64_t processors_busy_ns = 0;
  int64_t process_ns = 0;
  SharedWork shared = {};
  std::vector<transform::OpStatistics> ops = {};
};

// Returns part / whole, between 0 and 1; 0 when `whole` is 0.
double Share(int64_t part, int64_t whole);

// INVALID_ARGUMENT when the two belong to different graphs.
absl::Status Merge(const PathWork& more, PathWork& total);

// Returns the work between two looks at the same counters: nothing but zeros when they began again
// in between. `batches`, `rows`, `bytes` and what ops rejected are those between the looks, too.
PathWork Since(const PathWork& before, const PathWork& now);

// The counters of one maker. Thread-safe.
class PathCounters {
 public:
  explicit PathCounters(std::vector<std::string> op_types) : ops_(std::move(op_types)) {}

  // The counters to which the graph adds.
  transform::OpCounters& ops() { return ops_; }
  void AddRead(int64_t nanos) { read_ns_ += nanos; }
  void AddFound(int64_t samples, int64_t nanos) {
    found_ += samples;
    find_ns_ += nanos;
  }

  // Capacity, processors and links are left out, because a maker does not know them.
  PathWork Snapshot() const;

 private:
  friend class WorkTimer;

  transform::OpCounters ops_;
  std::atomic<int64_t> batches_ = 0;
  std::atomic<int64_t> rows_ = 0;
  std::atomic<int64_t> bytes_ = 0;
  std::atomic<int64_t> busy_ns_ = 0;
  std::atomic<int64_t> cpu_ns_ = 0;
  std::atomic<int64_t> queue_ns_ = 0;
  std::atomic<int64_t> read_ns_ = 0;
  std::atomic<int64_t> found_ = 0;
  std::atomic<int64_t> find_ns_ = 0;
};

// Adds the time of the calling thread from here to Finish(). Use one for several batches, because
// it reads a file of the kernel.
class WorkTimer {
 public:
  explicit WorkTimer(PathCounters& counters);
  void Finish(int64_t batches, int64_t rows, int64_t bytes);

 private:
  PathCounters& counters_;
  const transform::ThreadTime begin_;
  const int64_t queued_ns_;
};

}  // namespace tidemill::loader
