// Measures the time and the output of the ops of a graph, added up over runs, threads and
// processes.
//
//   OpCounters counters(graph.op_types());
//   ... many threads: graph.Run(samples, &fitted, context, &counters) ...
//   for (const OpStatistics& op : counters.Snapshot()) ...
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::transform {

// The work of one op in one or several runs of a graph. Times are summed over the threads that ran
// it.
struct OpWork {
  int64_t runs = 0;
  // The first is the number of samples that reached the op and were not bad yet. The second is the
  // number of these that the op rejected.
  int64_t rows = 0;
  int64_t rejected = 0;
  // The bytes of the columns that the op made, whether they were ever whole in memory or not.
  int64_t bytes = 0;
  // The processor time and the wall-clock time. The ops of one stage take turns on small blocks.
  // Wall-clock time is measured for each op. The processor time of the stage is divided among its
  // ops in the same proportion.
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
  // The rows with a value that is unknown to the op (Frame::CountUnknown()).
  int64_t unknown = 0;

  OpWork& operator+=(const OpWork& other);
  friend bool operator==(const OpWork&, const OpWork&) = default;
};

struct OpStatistics {
  std::string type;  // "standardize"
  OpWork work;

  friend bool operator==(const OpStatistics&, const OpStatistics&) = default;
};

// Adds to each op of `total` the numbers of the same op in `more`. An empty `total` becomes `more`.
// INVALID_ARGUMENT when the two belong to different graphs.
absl::Status Merge(std::span<const OpStatistics> more, std::vector<OpStatistics>& total);

// Thread-safe: any number of threads may run graphs that add to the same counters. Add() takes
// seven relaxed atomic additions.
class OpCounters {
 public:
  // `types` are the types of the graph's ops, in order.
  explicit OpCounters(std::vector<std::string> types);

  // `op` is the place of the op in the graph, from 0.
  void Add(int op, const OpWork& work);

  // Returns the statistics by place in the graph. While other threads add, the numbers of one op
  // may be some runs apart.
  std::vector<OpStatistics> Snapshot() const;

 private:
  // Each op has its own cache line, because threads are at different ops most of the time.
  struct alignas(64) Counters {
    std::atomic<int64_t> runs = 0;
    std::atomic<int64_t> rows = 0;
    std::atomic<int64_t> rejected = 0;
    std::atomic<int64_t> unknown = 0;
    std::atomic<int64_t> bytes = 0;
    std::atomic<int64_t> cpu_ns = 0;
    std::atomic<int64_t> wall_ns = 0;
  };

  const std::vector<std::string> types_;
  const std::unique_ptr<Counters[]> counters_;
};

// The clocks of the calling thread. Reading the wall clock takes about 20 ns, reading the processor
// time some 200.
struct ThreadTime {
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;

  static ThreadTime Now();
  static int64_t WallNow();
};

}  // namespace tidemill::transform
