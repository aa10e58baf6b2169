// Decides which samples each batch of a plan contains.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loader/batch_source.h"
#include "loader/batches/batch_plan.h"
#include "loader/plan/drawn_order.h"

namespace tidemill::loader {

// The positions [from, to) of an epoch's order.
struct Positions {
  int64_t from = 0;
  int64_t to = 0;
};

// The ordinals of consecutive batches.
struct WantedSamples {
  std::vector<int64_t> ordinals = {};
  // The number of samples of each batch.
  std::vector<int64_t> sizes = {};
};

// A function of the plan and the size of the set alone. A batch has a `number`, counted through all
// epochs, and an `index`, its place in its epoch. Both begin at 0. Thread-safe.
class BatchOrdinals {
 public:
  // The plan must be valid; see BatchMaker::Create().
  BatchOrdinals(const BatchPlan& plan, int64_t set_size);

  const BatchPlan& plan() const { return plan_; }
  // The number of batches of an epoch.
  int64_t num_batches() const { return num_batches_; }
  // The number of positions in an epoch's order.
  int64_t num_positions() const { return num_positions_; }
  // Returns the epoch of a batch, in the plan's count of epochs.
  int64_t EpochOf(int64_t number) const { return plan_.first_epoch + number / num_batches_; }
  // Returns the number of the first batch of the next epoch.
  int64_t EndOfEpoch(int64_t number) const { return (number / num_batches_ + 1) * num_batches_; }
  // Returns the batch with this number, without rows.
  TrainingBatch Numbered(int64_t number) const;

  // Returns the positions of the whole batch. Positions after the end of the epoch stand for its
  // first positions.
  Positions OfBatch(int64_t index) const;
  // Returns the positions of the plan's slice of the batch.
  Positions OfSlice(int64_t index) const;

  // Returns the samples of the plan's slices of the batches [from, to), which must belong to one
  // epoch.
  WantedSamples WantedBy(int64_t from, int64_t to) const;
  // Appends the ordinals at these positions of an epoch.
  void Append(int64_t epoch, Positions positions, std::vector<int64_t>& ordinals) const;

 private:
  const BatchPlan plan_;
  const int64_t num_positions_;
  const int64_t num_batches_;
  const std::unique_ptr<const models::EpochOrder> order_;
};

}  // namespace tidemill::loader
