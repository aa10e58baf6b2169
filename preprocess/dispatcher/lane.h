// The progress of one lane of a job: its issued and its done batches.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "rpc/members/members.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

using rpc::Incarnation;

inline Incarnation IncarnationOf(const v1::WorkerIncarnation& incarnation) {
  return {.member_id = incarnation.worker_id(), .number = incarnation.incarnation()};
}

// The batches [from, to). They are issued, and not all of them are done. A worker makes them, or
// they wait to be issued again.
struct IssuedSplit {
  int64_t from_batch = 0;
  int64_t to_batch = 0;
  // How often it was issued.
  int32_t attempt = 0;
  // The worker, and the request that leased it. Worker 0 while it waits.
  Incarnation worker = {};
  std::string request_id = {};
  // Whether the worker may know of it.
  bool told = false;

  bool is_leased() const { return worker.member_id != 0; }
};

// The immutable facts of a lane.
struct LaneFacts {
  int64_t first_batch = 0;
  int64_t end_batch = 0;
  int32_t shard = 0;
  int64_t split_batches = 1;
};

// The state of a lane that is stored in its row.
struct LaneCounts {
  int64_t issued_before = 0;
  int64_t done_before = 0;
  int64_t num_reissued = 0;
  // The worker that makes its shard; 0 when there is none yet.
  int64_t shard_worker_id = 0;
  // The consumer that reads it; empty when there is none yet.
  std::string consumer = {};

  friend bool operator==(const LaneCounts&, const LaneCounts&) = default;
};

// The changes of a lane to write: its row, the splits that changed, and the splits that are gone
// (by from_batch).
struct LaneChanges {
  LaneCounts counts;
  std::vector<IssuedSplit> kept;
  std::vector<int64_t> gone;
};

// Thread-compatible.
class Lane {
 public:
  // Makes a new lane.
  explicit Lane(const LaneFacts& facts);
  // Makes a lane from its rows. All of its leases may be known to their workers.
  Lane(const LaneFacts& facts, const LaneCounts& counts, std::vector<IssuedSplit> splits);

  const LaneFacts& facts() const { return facts_; }
  const LaneCounts& counts() const { return counts_; }
  // By from_batch.
  const std::map<int64_t, IssuedSplit>& splits() const { return splits_; }
  int64_t num_done() const { return counts_.done_before - facts_.first_batch; }
  int64_t num_leased() const { return std::ssize(splits_) - std::ssize(waiting_); }

  // Adds this lane's leases to the number of splits that each worker holds.
  void CountLeases(std::map<int64_t, int32_t>& num_leased) const;

  // INVALID_ARGUMENT for batches that the lane does not have.
  absl::Status Check(const v1::LaneProgress& progress) const;

  // Applies a consumer's report. Done batches stay done, even if older reports arrive later. The
  // splits that the consumer makes itself are those of the latest report.
  void Advance(const v1::LaneProgress& progress);

  // Takes the lease back of the split that has this batch. Returns the worker that held it, if any
  // worker did.
  std::optional<Incarnation> Miss(int64_t batch);

  // From now on this consumer reads the lane. If another one did, the leases are given up, because
  // it is unknown which of the sent batches reached it. The splits that the other one made itself
  // are issued, too. Returns the number of leases given up.
  int64_t TakeOver(const std::string& consumer);

  // Returns where the next split begins: among the splits to issue again, and among those never
  // issued. std::nullopt when there is none within the window. Before the first report since the
  // dispatcher's start, the window is empty.
  std::optional<int64_t> NextWaiting() const;
  std::optional<int64_t> NextFresh() const;

  // Leases the split to issue again or, if there is none, the new one, and returns it. There must
  // be one of them.
  const IssuedSplit& Issue(const Incarnation& worker, const std::string& request_id);

  // Returns the request's lease if it still holds it. The worker is notified.
  const IssuedSplit* Confirm(int64_t from_batch, const Incarnation& worker,
                             const std::string& request_id);

  // Takes back a lease that no worker was told about. Returns whether there was one. It may be in
  // the database nevertheless, after a commit with an unknown outcome. That is harmless: the next
  // write replaces it. After a restart it belongs to the request, which gets it when it is
  // repeated.
  bool Revoke(int64_t from_batch, const Incarnation& worker, const std::string& request_id);

  // Gives up the leases of the workers for which `is_gone` is true. Returns their number.
  int64_t Lose(const std::function<bool(const Incarnation&)>& is_gone);

  void BindShard(int64_t worker_id);

  bool has_changes() const { return row_changed_ || !changed_splits_.empty(); }
  // Returns the changes to write now. They count as written from now on.
  LaneChanges TakeChanges();
  // Returns changes that could not be written, or whose outcome is unknown. The next TakeChanges()
  // includes them.
  void ReturnChanges(const LaneChanges& changes);

 private:
  int64_t WindowEnd() const;
  void Insert(IssuedSplit split);
  void Erase(int64_t from_batch);
  // Lets the part of a split that is not done wait to be issued again.
  void Release(const IssuedSplit& split, int32_t attempt);
  // Removes done batches from the splits.
  void Trim();
  // Lets the batches that are neither done nor part of a split, although they count as issued, wait
  // to be issued.
  void ReleaseGaps();
  // Returns where the split of a batch ends. Splits are on a grid that does not depend on the first
  // batch, so that what belongs together stays together.
  int64_t EndOfSplit(int64_t batch) const;

  const LaneFacts facts_;
  LaneCounts counts_;
  int64_t window_ = 0;
  std::map<int64_t, IssuedSplit> splits_;
  // The waiting ones among splits_, by from_batch.
  std::set<int64_t> waiting_;
  // The splits that the consumer makes itself, by their first batch.
  std::set<int64_t> own_;
  bool row_changed_ = false;
  std::set<int64_t> changed_splits_;
};

}  // namespace tidemill::preprocess
