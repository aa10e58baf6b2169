// Makes batches from rows in the order in which they arrive, so that a slow row does not hold up
// others.
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

// The consumer's end of JobSpec.slow_after. A batch arrives in one or several messages. Each has
// some of its rows, by ordinal. The message with the last rows says how many rows the batch lacks.
// A batch is complete when the number of its rows and of the lacking ones equals the number in the
// plan. Messages may arrive in any order, and some may come from a worker that has died: rows that
// arrived before are dropped.
//
// A batch that is delivered has as many rows as a batch of the plan, all of one epoch. The rest of
// an epoch is a smaller batch once all of the epoch has arrived. Full batches of the next epoch may
// come before it. Handed-on batches are counted within their epoch. The lacking rows of a batch are
// reported with the next batch that is delivered in its epoch. Thread-compatible.
class Rebatcher final : public Inbox {
 public:
  struct Plan {
    // The batches [first, end), except those that are done.
    int64_t first = 0;
    int64_t end = 0;
    std::vector<int64_t> done = {};
    int64_t first_epoch = 0;
    int64_t batches_of_epoch = 1;
    // The rows of a batch that is delivered; at least 1.
    int64_t batch_rows = 1;
    // The batches before done_before() + window are made without waiting for others. When all of
    // them have arrived, rows are delivered even if they are too few for a batch.
    int64_t window = 1;
    // Returns the number of rows of a batch, including lacking ones.
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
  // A batch that has partly arrived and is not done.
  struct Begun {
    bool has_come = false;  // Whether all of it has arrived.
    std::unordered_set<int64_t> had = {};
    int64_t num_skipped = 0;
    int64_t num_filtered = 0;
    int64_t rows_waiting = 0;
  };
  // The new rows of a message.
  struct Piece {
    int64_t number = 0;
    batch::Batch rows = {};
    int64_t begin = 0;  // The rows before it are delivered.
    std::optional<Origin> origin = std::nullopt;
  };
  // An epoch with waiting rows.
  struct Epoch {
    std::deque<Piece> pieces = {};
    int64_t num_rows = 0;
    int64_t num_skipped = 0;
    int64_t num_filtered = 0;
    std::string reason = {};
  };

  int64_t EpochOf(int64_t number) const { return number / plan_.batches_of_epoch; }
  bool IsDone(int64_t number) const;
  bool HasCome(int64_t number) const;
  // Whether all batches of an epoch have arrived.
  bool IsWhole(int64_t epoch) const;
  batch::Batch NewRows(const batch::Batch& rows, Begun& begun) const;
  void SetCome(int64_t number, Begun& begun);
  void MarkDone(int64_t number);
  // Returns the epoch from which the next batch is cut, and its number of rows.
  std::optional<std::pair<int64_t, int64_t>> Next() const;
  absl::StatusOr<Taken> Cut(int64_t epoch, int64_t num_rows);

  const Plan plan_;
  int64_t done_before_;
  std::set<int64_t> done_beyond_;
  int64_t come_before_;
  std::map<int64_t, Begun> begun_;
  std::map<int64_t, Epoch> epochs_;
  // For each epoch: the number of batches that are still to arrive, and the number delivered.
  std::map<int64_t, int64_t> missing_;
  std::map<int64_t, int64_t> indices_;
  int64_t num_dropped_ = 0;
  int64_t num_given_up_ = 0;
};

}  // namespace tidemill::preprocess
