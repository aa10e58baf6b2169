#include "loader/path/path_work.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/descriptor.h"

namespace tidemill::loader {
namespace {

// How long this thread has been ready to run without a processor, so far; 0 if the kernel does not
// tell.
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

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0)
                   : 0;
}

void Add(const SharedWork& more, int64_t factor, SharedWork& total) {
  total.made += factor * more.made;
  total.taken += factor * more.taken;
  total.again += factor * more.again;
  total.failed += factor * more.failed;
  total.wait_ns += factor * more.wait_ns;
}

absl::Status Merge(const PathWork& more, PathWork& total) {
  RETURN_IF_ERROR(transform::Merge(more.ops, total.ops));
  total.batches += more.batches;
  total.rows += more.rows;
  total.bytes += more.bytes;
  total.busy_ns += more.busy_ns;
  total.cpu_ns += more.cpu_ns;
  total.queue_ns += more.queue_ns;
  total.read_ns += more.read_ns;
  total.found += more.found;
  total.find_ns += more.find_ns;
  total.capacity_ns += more.capacity_ns;
  total.link_busy_ns += more.link_busy_ns;
  total.link_ns += more.link_ns;
  total.processors_ns += more.processors_ns;
  total.processors_busy_ns += more.processors_busy_ns;
  total.process_ns += more.process_ns;
  Add(more.shared, 1, total.shared);
  return absl::OkStatus();
}

PathWork Since(const PathWork& before, const PathWork& now) {
  if (before.batches > now.batches || before.busy_ns > now.busy_ns ||
      before.ops.size() > now.ops.size()) {
    return {};
  }
  PathWork work = now;
  work.batches -= before.batches;
  work.rows -= before.rows;
  work.bytes -= before.bytes;
  work.busy_ns -= before.busy_ns;
  work.cpu_ns -= before.cpu_ns;
  work.queue_ns -= before.queue_ns;
  work.read_ns -= before.read_ns;
  work.found -= before.found;
  work.find_ns -= before.find_ns;
  work.capacity_ns -= before.capacity_ns;
  work.link_busy_ns -= before.link_busy_ns;
  work.link_ns -= before.link_ns;
  work.processors_ns -= before.processors_ns;
  work.processors_busy_ns -= before.processors_busy_ns;
  work.process_ns -= before.process_ns;
  Add(before.shared, -1, work.shared);
  for (size_t i = 0; i < before.ops.size(); ++i) {
    transform::OpWork& op = work.ops[i].work;
    const transform::OpWork& earlier = before.ops[i].work;
    op.runs -= earlier.runs;
    op.rows -= earlier.rows;
    op.rejected -= earlier.rejected;
    op.unknown -= earlier.unknown;
    op.bytes -= earlier.bytes;
    op.cpu_ns -= earlier.cpu_ns;
    op.wall_ns -= earlier.wall_ns;
  }
  return work;
}

PathWork PathCounters::Snapshot() const {
  return {.batches = batches_,
          .rows = rows_,
          .bytes = bytes_,
          .busy_ns = busy_ns_,
          .cpu_ns = cpu_ns_,
          .queue_ns = queue_ns_,
          .read_ns = read_ns_,
          .found = found_,
          .find_ns = find_ns_,
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
