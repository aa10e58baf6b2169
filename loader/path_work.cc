#include "loader/path_work.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/descriptor.h"

namespace tidemill::loader {
namespace {

// How long this thread has been ready to run without a processor, so far; 0 where the kernel does
// not tell.
int64_t QueuedNanos() {
  const Descriptor file(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return 0;
  char text[96] = {};
  const ssize_t size = read(file.number(), text, sizeof(text) - 1);
  long long on_processor = 0;
  long long queued = 0;
  if (size <= 0 || sscanf(text, "%lld %lld", &on_processor, &queued) != 2) return 0;
  return queued;
}

}  // namespace

absl::Status Merge(const PathWork& more, PathWork& total) {
  RETURN_IF_ERROR(transform::Merge(more.ops, total.ops));
  total.batches += more.batches;
  total.rows += more.rows;
  total.bytes += more.bytes;
  total.busy_ns += more.busy_ns;
  total.cpu_ns += more.cpu_ns;
  total.queue_ns += more.queue_ns;
  total.read_ns += more.read_ns;
  total.capacity_ns += more.capacity_ns;
  total.link_busy_ns += more.link_busy_ns;
  total.link_ns += more.link_ns;
  return absl::OkStatus();
}

PathWork PathCounters::Snapshot() const {
  return {.batches = batches_,
          .rows = rows_,
          .bytes = bytes_,
          .busy_ns = busy_ns_,
          .cpu_ns = cpu_ns_,
          .queue_ns = queue_ns_,
          .read_ns = read_ns_,
          .ops = ops_.Snapshot()};
}

WorkTimer::WorkTimer(PathCounters& counters)
    : counters_(counters), begin_(transform::ThreadTime::Now()), queued_ns_(QueuedNanos()) {}

void WorkTimer::Finish(int64_t batches, int64_t rows, int64_t bytes) {
  const transform::ThreadTime end = transform::ThreadTime::Now();
  counters_.batches_ += batches;
  counters_.rows_ += rows;
  counters_.bytes_ += bytes;
  counters_.busy_ns_ += end.wall_ns - begin_.wall_ns;
  counters_.cpu_ns_ += end.cpu_ns - begin_.cpu_ns;
  counters_.queue_ns_ += QueuedNanos() - queued_ns_;
}

}  // namespace tidemill::loader
