#include "loader/path/path_verdict.h"

#include "fmt/format.h"

namespace tidemill::loader {
namespace {

// A link with something to send for more of its time cannot keep up.
constexpr double kLinkBusy = 0.5;
// Makers that are busy for less of their time wait for something other than their own work.
constexpr double kMakersBusy = 0.35;
// Threads that are ready to run for so much of their busy time without a processor lack one.
constexpr double kQueued = 0.3;

}  // namespace

std::string_view NameOf(PathLimit limit) {
  switch (limit) {
    case PathLimit::kTrainer:
      return "trainer";
    case PathLimit::kOp:
      return "op";
    case PathLimit::kStorage:
      return "storage";
    case PathLimit::kNetwork:
      return "network";
    case PathLimit::kCores:
      return "cores";
    case PathLimit::kSharing:
      return "sharing";
    case PathLimit::kStart:
      return "start";
    case PathLimit::kUnknown:
      return "unknown";
  }
  return "unknown";
}

PathVerdict Judge(double wait_share, const PathWork& work, bool is_of_gpu) {
  PathVerdict verdict{.wait_share = wait_share, .is_of_gpu = is_of_gpu};
  if (wait_share < kWaits) return verdict;
  if (work.capacity_ns == 0) {
    verdict.limit = PathLimit::kUnknown;
    return verdict;
  }
  const double link = Share(work.link_busy_ns, work.link_ns);
  if (link > kLinkBusy) {
    verdict.limit = PathLimit::kNetwork;
    verdict.share = link;
    return verdict;
  }
  if (Share(work.busy_ns, work.capacity_ns) < kMakersBusy) {
    // Makers that wait for other trainings for longer than they make rows themselves.
    const bool awaits_others = work.shared.wait_ns > work.busy_ns;
    verdict.limit = awaits_others ? PathLimit::kSharing : PathLimit::kStart;
    if (awaits_others) verdict.share = Share(work.shared.wait_ns, work.capacity_ns);
    return verdict;
  }
  const double queued = Share(work.queue_ns, work.busy_ns);
  // Neither on a processor nor ready for one: they wait for samples, or in an op, which more cores
  // would not shorten.
  const double idle = Share(work.busy_ns - work.cpu_ns - work.queue_ns, work.busy_ns);
  if (queued > kQueued && queued > idle) {
    verdict.limit = PathLimit::kCores;
    verdict.share = queued;
    return verdict;
  }
  verdict.limit = PathLimit::kStorage;
  verdict.share = Share(work.read_ns, work.busy_ns);
  for (const transform::OpStatistics& op : work.ops) {
    const double share = Share(op.work.wall_ns, work.busy_ns);
    if (share <= verdict.share) continue;
    verdict.limit = PathLimit::kOp;
    verdict.op = op.type;
    verdict.share = share;
  }
  return verdict;
}

std::string PathVerdict::ToText() const {
  std::string text =
      is_of_gpu ? fmt::format("the GPU waits {:.0f} % of the time for batches; ", 100 * wait_share)
                : fmt::format("{:.0f} % of the time waiting for data; ", 100 * wait_share);
  switch (limit) {
    case PathLimit::kTrainer:
      return text + "limit: the training itself";
    case PathLimit::kOp:
      return text + fmt::format("limit: op {} ({:.0f} % of preparing)", op, 100 * share);
    case PathLimit::kStorage:
      return text + fmt::format("limit: storage (reading is {:.0f} % of preparing)", 100 * share);
    case PathLimit::kNetwork:
      return text + fmt::format("limit: network (sending {:.0f} % of the time)", 100 * share);
    case PathLimit::kCores:
      return text + fmt::format("limit: no free cores ({:.0f} % of preparing is waiting for one)",
                                100 * share);
    case PathLimit::kSharing:
      return text + fmt::format(
                        "limit: the trainings that prepare the same samples ({:.0f} % of the time "
                        "waiting for them)",
                        100 * share);
    case PathLimit::kStart:
      return text + "limit: none, the training ended before the path was full";
    case PathLimit::kUnknown:
      return text + "the limit was not measured";
  }
  return text;
}

}  // namespace tidemill::loader
