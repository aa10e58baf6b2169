// What the ops of a graph cost and make, added up over runs, threads and processes.
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

// What one op did in one run of a graph, or in several. Times are those of the threads that ran it.
struct OpWork {
  int64_t runs = 0;
  // Samples that came in and were not bad yet, and those of them that the op rejected.
  int64_t rows = 0;
  int64_t rejected = 0;
  // Of the columns that it made, whether they were ever whole in memory or not.
  int64_t bytes = 0;
  // Time on a processor, and time from begin to end. Ops of one stage run in turn on small blocks:
  // what each of them took is measured by the clock on the wall, and the stage's time on a
  // processor is divided among them in the same proportion.
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;

  OpWork& operator+=(const OpWork& other);
  friend bool operator==(const OpWork&, const OpWork&) = default;
};

struct OpStatistics {
  std::string type;  // "standardize"
  OpWork work;

  friend bool operator==(const OpStatistics&, const OpStatistics&) = default;
};

// Adds to each op of `total` what `more` says of it; an empty `total` becomes `more`.
// INVALID_ARGUMENT when the two belong to different graphs.
absl::Status Merge(std::span<const OpStatistics> more, std::vector<OpStatistics>& total);

// Thread-safe: any number of threads may run graphs that add to the same counters. Adding takes six
// relaxed atomic additions.
class OpCounters {
 public:
  // `types`: of the graph's ops, in order.
  explicit OpCounters(std::vector<std::string> types);

  // `op`: place in the graph, from 0.
  void Add(int op, const OpWork& work);

  // By place in the graph. While others add, the numbers of an op may be some runs apart.
  std::vector<OpStatistics> Snapshot() const;

 private:
  // A cache line of its own for each op: threads are at different ops most of the time.
  struct alignas(64) Counters {
    std::atomic<int64_t> runs = 0;
    std::atomic<int64_t> rows = 0;
    std::atomic<int64_t> rejected = 0;
    std::atomic<int64_t> bytes = 0;
    std::atomic<int64_t> cpu_ns = 0;
    std::atomic<int64_t> wall_ns = 0;
  };

  const std::vector<std::string> types_;
  const std::unique_ptr<Counters[]> counters_;
};

// The clocks of the calling thread. Reading the one on the wall takes about 20 ns, the one of the
// time on a processor some 200.
struct ThreadTime {
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;

  static ThreadTime Now();
  static int64_t WallNow();
};

}  // namespace tidemill::transform
