// What it takes to make batches: where the time of the threads that make them goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "transform/engine/op_counters.h"

namespace tidemill::loader {

// Added up over threads, and over processes by Merge(). Nanoseconds.
struct PathWork {
  int64_t batches = 0;
  int64_t rows = 0;
  int64_t bytes = 0;
  // From begin to end of making batches, and of that: on a processor, ready to run while others
  // had all processors, and waiting for samples from storage.
  int64_t busy_ns = 0;
  int64_t cpu_ns = 0;
  int64_t queue_ns = 0;
  int64_t read_ns = 0;
  // What the threads could have been busy: their number times the time that there was.
  int64_t capacity_ns = 0;
  // How long batches that were made and might have been sent were not, because the link was busy,
  // and the time that there was; over links. 0 where batches go through no link.
  int64_t link_busy_ns = 0;
  int64_t link_ns = 0;
  std::vector<transform::OpStatistics> ops = {};
};

// INVALID_ARGUMENT when the two belong to different graphs.
absl::Status Merge(const PathWork& more, PathWork& total);

// Of one maker. Thread-safe.
class PathCounters {
 public:
  explicit PathCounters(std::vector<std::string> op_types) : ops_(std::move(op_types)) {}

  // What the graph adds to.
  transform::OpCounters& ops() { return ops_; }
  void AddRead(int64_t nanos) { read_ns_ += nanos; }

  // Without capacity and links, which a maker does not know.
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
};

// Adds the time of the calling thread from here to Finish(): once for some batches, as it reads a
// file of the kernel.
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
