// A block of samples of which a graph makes rows in two parts. Rows are combined by the place of
// their sample among those asked for:
//
//   asked     7     2     9     4
//   Find()    row   .     row   bad         with a hole for 2
//   read            2                       Prepare() -> copied into the hole; Keep()
//   Finish()  7     2     9
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batches/cut_rows.h"
#include "loader/path/path_work.h"
#include "loader/training_set.h"
#include "prepared/prepared_samples.h"

namespace tidemill::loader {

// Thread-compatible.
class CutBlock {
 public:
  // The samples of the setup's set with these ordinals. All arguments must outlive this object. The
  // setup's reader is not used.
  CutBlock(const CutRowsSetup& setup, std::span<const int64_t> ordinals, PathCounters& counters);

  // Looks for what is kept. `names` are those of the samples, in their order.
  void Find(std::vector<prepared::SampleName> names);

  const std::vector<int64_t>& keys() const { return keys_; }
  // The ordinals of the samples that were not found, in their order.
  std::vector<int64_t> Missing() const;

  // Prepares samples that were missing, in their order, with holes for those that cannot be read.
  // `piece` has the column `ordinal`. Returns the errors of CutGraph::Prepare().
  absl::Status Prepare(const batch::Batch& piece);

  // Keeps what was prepared.
  void Keep() const;

  void Count(PreparedCounts& counts) const;

  // Runs the ops after the cut on the good rows, and adds them to `result`, beside the bad and the
  // filtered samples. Samples that were neither found nor prepared are left out. Returns the errors
  // of CutGraph::Finish().
  absl::Status Finish(Rows& result) const { return Finish(setup_, counters_, result); }
  // The same for another graph, whose cut has the same digest.
  absl::Status Finish(const CutRowsSetup& setup, PathCounters& counters, Rows& result) const;

 private:
  std::vector<int64_t> PlacesOf(const batch::Batch& piece);
  void CopyRow(const batch::Batch& from, int64_t row, int64_t place);
  prepared::NamedRows Made() const;
  absl::StatusOr<batch::Batch> GoodRows(const std::vector<int64_t>& good) const;

  const CutRowsSetup& setup_;
  const std::span<const int64_t> ordinals_;
  const std::vector<int64_t> keys_;
  PathCounters& counters_;
  std::vector<prepared::SampleName> names_;
  prepared::NamedRows rows_;
  std::vector<int64_t> missing_;  // Places.
  size_t next_missing_ = 0;
  std::vector<int64_t> made_;  // Places.
};

}  // namespace tidemill::loader
