// Batches cut from rows in the order in which they come, so that a slow row holds nothing up.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "preprocess/client/inbox.h"

namespace tidemill::preprocess {

// The consumer's end of JobSpec.slow_after. A batch comes in one or several messages: some of its
// rows each, by ordinal, and in the one whose rows came last how many it lacks. It has come whole
// when rows and lacking ones are as many as the plan says, in whatever order the messages come, and
// whether or not some of them came from a worker that died in between: rows that were had are
// dropped.
//
// What is handed on has the rows of a batch of the plan, of one epoch. The rest of an epoch comes,
// as a smaller batch, once all of it is there; full batches of the next epoch may come before it.
// Batches are counted within their epoch as they are handed on. What a batch lacks is told with the
// one that is handed on next in its epoch. Thread-compatible.
class Rebatcher final : public Inbox {
 public:
  struct Plan {
    // Batches [first, end), but for those that are done.
    int64_t first = 0;
    int64_t end = 0;
    std::vector<int64_t> done = {};
    int64_t first_epoch = 0;
    int64_t batches_of_epoch = 1;
    // Rows of a batch that is handed on, at least 1.
    int64_t batch_rows = 1;
    // Batches before done_before() + window are made without waiting for others to be done: when
    // all of them are there, rows that are too few for a batch are handed on.
    int64_t window = 1;
    // Rows and lacking ones of a batch.
    std::function<int64_t(int64_t number)> samples_of;
  };
  explicit Rebatcher(Plan plan);

  bool Add(BatchMessage message, const std::optional<Origin>& origin) override;
  void GiveUp(int64_t from, int64_t to) override;
  absl::StatusOr<std::optional<Taken>> Take() override;
  bool ended() const override { return done_before_ == plan_.end && epochs_.empty(); }
  int64_t done_before() const override { return done_before_; }
  std::vector<int64_t> DoneBeyond() const override;
  int64_t wanted() const override { return come_before_; }
  int64_t num_dropped() const override { return num_dropped_; }
  int64_t num_given_up() const override { return num_given_up_; }

 private:
  // A batch of which something has come, and that is not done.
  struct Begun {
    bool has_come = false;  // All of it.
    std::unordered_set<int64_t> had = {};
    int64_t num_skipped = 0;
    int64_t rows_waiting = 0;
  };
  // New rows of a message.
  struct Piece {
    int64_t number = 0;
    batch::Batch rows = {};
    int64_t begin = 0;  // Rows before it are handed on.
    std::optional<Origin> origin = std::nullopt;
  };
  // An epoch of which something waits.
  struct Epoch {
    std::deque<Piece> pieces = {};
    int64_t num_rows = 0;
    int64_t num_skipped = 0;
    std::string reason = {};
  };

  int64_t EpochOf(int64_t number) const { return number / plan_.batches_of_epoch; }
  bool IsDone(int64_t number) const;
  bool HasCome(int64_t number) const;
  // Whether all batches of an epoch have come.
  bool IsWhole(int64_t epoch) const;
  batch::Batch NewRows(const batch::Batch& rows, Begun& begun) const;
  void SetCome(int64_t number, Begun& begun);
  void MarkDone(int64_t number);
  // The epoch to cut the next batch from, and its rows.
  std::optional<std::pair<int64_t, int64_t>> Next() const;
  absl::StatusOr<Taken> Cut(int64_t epoch, int64_t num_rows);

  const Plan plan_;
  int64_t done_before_;
  std::set<int64_t> done_beyond_;
  int64_t come_before_;
  std::map<int64_t, Begun> begun_;
  std::map<int64_t, Epoch> epochs_;
  // By epoch: batches that have yet to come, and batches handed on.
  std::map<int64_t, int64_t> missing_;
  std::map<int64_t, int64_t> indices_;
  int64_t num_dropped_ = 0;
  int64_t num_given_up_ = 0;
};

}  // namespace tidemill::preprocess
