#include "transform/engine/op_counters.h"

#include <chrono>
#include <ctime>
#include <utility>

#include "base/check.h"

namespace tidemill::transform {

OpWork& OpWork::operator+=(const OpWork& other) {
  runs += other.runs;
  rows += other.rows;
  rejected += other.rejected;
  unknown += other.unknown;
  bytes += other.bytes;
  cpu_ns += other.cpu_ns;
  wall_ns += other.wall_ns;
  return *this;
}

absl::Status Merge(std::span<const OpStatistics> more, std::vector<OpStatistics>& total) {
  if (total.empty()) {
    total.assign(more.begin(), more.end());
    return absl::OkStatus();
  }
  if (more.size() != total.size()) {
    return InvalidArgument("statistics of {} ops do not match statistics of {} ops", more.size(),
                           total.size());
  }
  for (size_t i = 0; i < total.size(); ++i) {
    if (more[i].type != total[i].type) {
      return InvalidArgument("op {} is {} in one graph and {} in the other", i + 1, total[i].type,
                             more[i].type);
    }
  }
  for (size_t i = 0; i < total.size(); ++i) total[i].work += more[i].work;
  return absl::OkStatus();
}

OpCounters::OpCounters(std::vector<std::string> types)
    : types_(std::move(types)), counters_(std::make_unique<Counters[]>(types_.size())) {}

void OpCounters::Add(int op, const OpWork& work) {
  TIDEMILL_CHECK(op >= 0 && static_cast<size_t>(op) < types_.size());
  Counters& counters = counters_[op];
  counters.runs.fetch_add(work.runs, std::memory_order_relaxed);
  counters.rows.fetch_add(work.rows, std::memory_order_relaxed);
  counters.rejected.fetch_add(work.rejected, std::memory_order_relaxed);
  counters.unknown.fetch_add(work.unknown, std::memory_order_relaxed);
  counters.bytes.fetch_add(work.bytes, std::memory_order_relaxed);
  counters.cpu_ns.fetch_add(work.cpu_ns, std::memory_order_relaxed);
  counters.wall_ns.fetch_add(work.wall_ns, std::memory_order_relaxed);
}

std::vector<OpStatistics> OpCounters::Snapshot() const {
  std::vector<OpStatistics> statistics;
  for (size_t i = 0; i < types_.size(); ++i) {
    const Counters& counters = counters_[i];
    const auto read = [](const std::atomic<int64_t>& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    statistics.push_back({.type = types_[i],
                          .work = {.runs = read(counters.runs),
                                   .rows = read(counters.rows),
                                   .rejected = read(counters.rejected),
                                   .bytes = read(counters.bytes),
                                   .cpu_ns = read(counters.cpu_ns),
                                   .wall_ns = read(counters.wall_ns),
                                   .unknown = read(counters.unknown)}});
  }
  return statistics;
}

int64_t ThreadTime::WallNow() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

ThreadTime ThreadTime::Now() {
  timespec cpu = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  return {.cpu_ns = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec, .wall_ns = WallNow()};
}

}  // namespace tidemill::transform
