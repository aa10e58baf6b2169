// A block of samples of which a graph makes rows in two parts. Rows are combined by the place of
// their sample among those asked for:
//
//   asked         7     2     9     4     5
//   Find()        row   .     row   bad   .     with holes for 2 and 5, which another one prepares
//   read                2                       Prepare() -> copied into the hole; Keep()
//   FindOthers()                          row
//   Finish()      7     2     9           5
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
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
  CutBlock(const CutBlock&) = delete;
  CutBlock& operator=(const CutBlock&) = delete;
  ~CutBlock() { Release(); }

  // Looks for what is kept, and claims what is not (prepared/claims.h). `names` are those of the
  // samples, in their order.
  void Find(std::vector<prepared::SampleName> names);
  // Gives up the claims, so that others need not wait. FindOthers() does it, too.
  void Release();
  // To be called when what was missing is made and kept: waits for samples that others prepare at
  // this time, and looks for them. Returns false when there are none. What others did not keep is
  // missing then, and must be made here. CANCELLED when `stop` is requested.
  absl::StatusOr<bool> FindOthers(const std::stop_token& stop);

  const std::vector<int64_t>& keys() const { return keys_; }
  // The ordinals of the samples that must be made here, in their order.
  std::vector<int64_t> Missing() const;

  // Prepares samples that were missing, in their order, with holes for those that cannot be read.
  // `piece` has the column `ordinal`. Returns the errors of CutGraph::Prepare().
  absl::Status Prepare(const batch::Batch& piece);

  // Keeps what was prepared.
  void Keep();

  void Count(PreparedCounts& counts) const;

  // Runs the ops after the cut on the good rows, and adds them to `result`, beside the bad and the
  // filtered samples. Samples that were neither found nor prepared are left out. Returns the errors
  // of CutGraph::Finish().
  absl::Status Finish(Rows& result) const { return Finish(setup_, counters_, result); }
  // The same for another graph, whose cut has the same digest.
  absl::Status Finish(const CutRowsSetup& setup, PathCounters& counters, Rows& result) const;

 private:
  uint64_t ClaimOf(int64_t place) const;
  // Looks for the samples at these places, and claims those that are not there.
  void FindOrClaim(std::span<const int64_t> places);
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
  // All that follow are places. Those that are claimed here; those of them that are missing; those
  // that others have claimed.
  std::vector<int64_t> claimed_;
  std::vector<int64_t> missing_;
  std::vector<int64_t> others_;
  size_t next_missing_ = 0;
  // What was made since the last Keep(), and all that this block had to make.
  std::vector<int64_t> made_;
  std::vector<int64_t> tried_;
};

}  // namespace tidemill::loader
