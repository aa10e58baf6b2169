// How far one lane of a job is issued and done.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// One life of a worker.
struct Incarnation {
  int64_t worker_id = 0;
  int64_t number = 0;

  friend auto operator<=>(const Incarnation&, const Incarnation&) = default;
};

inline Incarnation IncarnationOf(const v1::WorkerIncarnation& incarnation) {
  return {.worker_id = incarnation.worker_id(), .number = incarnation.incarnation()};
}

enum class SplitState {
  kLeased,   // A worker makes it.
  kWaiting,  // Is to be issued again.
  kLost,     // Is never issued again: the consumer is told.
};

// Batches [from, to) that are issued and not all done.
struct IssuedSplit {
  int64_t from_batch = 0;
  int64_t to_batch = 0;
  // How often it was issued.
  int32_t attempt = 0;
  SplitState state = SplitState::kWaiting;
  // While leased: to whom, by which request.
  Incarnation worker = {};
  std::string request_id = {};
  // While leased: the worker may have heard of it.
  bool told = false;
};

// What a lane never changes.
struct LaneFacts {
  int64_t first_batch = 0;
  int64_t end_batch = 0;
  int32_t shard = 0;
  int64_t split_batches = 1;
  v1::Guarantee guarantee = v1::GUARANTEE_EXACTLY_ONCE;
};

// Of a lane, what is kept in its row.
struct LaneCounts {
  int64_t issued_before = 0;
  int64_t done_before = 0;
  int64_t num_reissued = 0;
  int64_t num_lost = 0;
  // Who makes its shard; 0: nobody yet.
  int64_t shard_worker_id = 0;
  // Who reads it; empty: nobody yet.
  std::string consumer = {};

  friend bool operator==(const LaneCounts&, const LaneCounts&) = default;
};

// What is to be written of a lane: its row, splits that changed, and splits that are no more (by
// from_batch).
struct LaneChanges {
  LaneCounts counts;
  std::vector<IssuedSplit> kept;
  std::vector<int64_t> gone;
};

// Thread-compatible.
class Lane {
 public:
  // A lane that is new.
  explicit Lane(const LaneFacts& facts);
  // A lane as its rows tell. All of its leases may be known to their workers.
  Lane(const LaneFacts& facts, const LaneCounts& counts, std::vector<IssuedSplit> splits);

  const LaneFacts& facts() const { return facts_; }
  const LaneCounts& counts() const { return counts_; }
  // By from_batch.
  const std::map<int64_t, IssuedSplit>& splits() const { return splits_; }
  int64_t num_done() const;
  int64_t num_leased() const {
    return std::ssize(splits_) - std::ssize(waiting_) - num_lost_splits_;
  }

  // Adds to the splits that each worker holds.
  void CountLeases(std::map<int64_t, int32_t>& num_leased) const;

  // INVALID_ARGUMENT for batches that the lane does not have.
  absl::Status Check(const v1::LaneProgress& progress) const;

  // Takes over what the consumer has reported; what is done is done for good, whatever older
  // reports arrive later.
  void Advance(const v1::LaneProgress& progress);

  // The consumer reads the lane from now on. Where that was another one, the leases are given up:
  // of what the workers have sent, nobody knows what reached it. Returns how many there were.
  int64_t TakeOver(const std::string& consumer);

  // Where the next split begins, of those to issue again and of those never issued; std::nullopt
  // where there is none within the window. Without a report since the dispatcher's start the window
  // is empty.
  std::optional<int64_t> NextWaiting() const;
  std::optional<int64_t> NextFresh() const;

  // Leases the waiting split, or else the fresh one, and returns it. There must be one.
  const IssuedSplit& Issue(const Incarnation& worker, const std::string& request_id);

  // The lease of that request, if it still holds. The worker is told of it.
  const IssuedSplit* Confirm(int64_t from_batch, const Incarnation& worker,
                             const std::string& request_id);

  // Takes back a lease of which nobody was told; returns whether there was one. It may be written
  // all the same (a commit of unknown outcome), which is harmless: the next write replaces it, and
  // after a restart it belongs to the request, which gets it when it is repeated.
  bool TakeBack(int64_t from_batch, const Incarnation& worker, const std::string& request_id);

  // Gives up the leases of workers that `is_gone` names; returns how many there were.
  int64_t Lose(const std::function<bool(const Incarnation&)>& is_gone);

  // Batches that will not come, ascending, [from, to).
  std::vector<std::pair<int64_t, int64_t>> Lost() const;

  void BindShard(int64_t worker_id);

  bool has_changes() const { return row_changed_ || !changed_splits_.empty(); }
  // What is to be written by now; counts as written from here on.
  LaneChanges TakeChanges();
  // They could not be written (or it is not known whether they were): the next ones have them, too.
  void ReturnChanges(const LaneChanges& changes);

 private:
  // The first batch at or after `batch` that is not done.
  int64_t FirstNotDone(int64_t batch) const;
  // The runs of batches in [from, to) that are not done.
  std::vector<std::pair<int64_t, int64_t>> NotDone(int64_t from_batch, int64_t to_batch) const;
  int64_t WindowEnd() const;
  void Insert(IssuedSplit split);
  void Erase(int64_t from_batch);
  // Puts what of a split is not done in its place, in another state.
  void Replace(const IssuedSplit& split, int32_t attempt, SplitState state);
  int64_t NumNotDone(const IssuedSplit& split) const;
  // Drops what is done from the splits.
  void Trim();

  const LaneFacts facts_;
  LaneCounts counts_;
  int64_t window_ = 0;
  // Done batches after counts_.done_before.
  std::set<int64_t> done_;
  std::map<int64_t, IssuedSplit> splits_;
  // Those of splits_ that wait, by from_batch.
  std::set<int64_t> waiting_;
  int64_t num_lost_splits_ = 0;
  bool row_changed_ = false;
  std::set<int64_t> changed_splits_;
};

}  // namespace tidemill::preprocess
