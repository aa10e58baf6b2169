#include "loader/batches/cut_rows.h"

#include <limits>
#include <utility>

#include "loader/batches/cut_block.h"

namespace tidemill::loader {
namespace {

// Reads, prepares and keeps what is missing in a block.
absl::Status MakeMissing(const CutRowsSetup& setup, CutBlock& block, PathCounters& counters,
                         Rows& result, const std::stop_token& stop) {
  const std::vector<int64_t> missing = block.Missing();
  if (missing.empty()) return absl::OkStatus();
  const int64_t begin = transform::ThreadTime::WallNow();
  int64_t graph_ns = 0;
  const auto prepare = [&](batch::Batch& piece, Rows&) -> absl::Status {
    const int64_t arrived = transform::ThreadTime::WallNow();
    RETURN_IF_ERROR(block.Prepare(piece));
    piece = batch::Batch();
    graph_ns += transform::ThreadTime::WallNow() - arrived;
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const Rows read, ReadRows(setup.set, missing, setup.reader,
                                             std::numeric_limits<int64_t>::max(), prepare, stop));
  counters.AddRead(transform::ThreadTime::WallNow() - begin - graph_ns);
  result.bad.insert(result.bad.end(), read.bad.begin(), read.bad.end());
  block.Keep();
  return absl::OkStatus();
}

// Finds the samples of a block, or reads, prepares and keeps them.
absl::Status FindOrMake(const CutRowsSetup& setup, CutBlock& block, PathCounters& counters,
                        Rows& result, const std::stop_token& stop) {
  const int64_t asked = transform::ThreadTime::WallNow();
  ASSIGN_OR_RETURN(std::vector<prepared::SampleName> names, setup.cache.NamesOf(block.keys()));
  counters.AddFound(0, transform::ThreadTime::WallNow() - asked);
  block.Find(std::move(names));
  bool has_more = true;
  while (has_more) {
    RETURN_IF_ERROR(MakeMissing(setup, block, counters, result, stop));
    ASSIGN_OR_RETURN(has_more, block.FindOthers(stop));
  }
  return absl::OkStatus();
}

}  // namespace

void AddFiltered(std::span<const int64_t> keys, std::span<const int64_t> good,
                 const std::vector<transform::BadSample>& bad, std::vector<int64_t>& filtered) {
  size_t next_good = 0;
  auto next_bad = bad.begin();
  for (size_t row = 0; row < keys.size(); ++row) {
    if (next_bad != bad.end() && next_bad->row == static_cast<int64_t>(row)) {
      ++next_bad;
    } else if (next_good < good.size() && good[next_good] == keys[row]) {
      ++next_good;
    } else {
      filtered.push_back(keys[row]);
    }
  }
}

absl::Status PrepareRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                         PathCounters& counters, PreparedCounts& counts,
                         const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled("preparing has ended");
  CutBlock block(setup, ordinals, counters);
  Rows result;
  RETURN_IF_ERROR(FindOrMake(setup, block, counters, result, stop));
  block.Count(counts);
  return absl::OkStatus();
}

absl::StatusOr<Rows> MakeCutRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                                 PathCounters& counters, const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled("reading has ended");
  Rows result{.num_missing = std::ssize(ordinals)};
  CutBlock block(setup, ordinals, counters);
  RETURN_IF_ERROR(FindOrMake(setup, block, counters, result, stop));
  RETURN_IF_ERROR(block.Finish(result));
  return result;
}

}  // namespace tidemill::loader
