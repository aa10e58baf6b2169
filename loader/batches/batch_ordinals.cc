#include "loader/batches/batch_ordinals.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/numbers/random.h"
#include "loader/batches/mixed_order.h"

// From the number of a batch to its samples. 10 positions, batches of 4, 2 slices, kKeep:
//
//   number       0           1           2      |    3           4           5
//   epoch        0           0           0      |    1           1           1
//   index        0           1           2      |    0           1           2
//   positions    0 1 2 3     4 5 6 7     8 9    |    0 1 2 3     4 5 6 7     8 9
//   slice 0      0 1         4 5         8 9    |    ...
//   slice 1          2 3         6 7            |
//
// The order of the epoch maps positions to ordinals of the set or, with a subset, to places of the
// subset, which has the ordinals. Nothing is stored but the plan: every process that knows it finds
// the same samples, wherever it begins.

namespace tidemill::loader {
namespace {

int64_t NumPositions(const BatchPlan& plan, int64_t set_size) {
  if (plan.subset != nullptr) return plan.subset->size();
  return plan.draw ? plan.draw->samples : set_size;
}

int64_t NumBatches(const BatchPlan& plan, int64_t num_positions) {
  const int64_t num_full = num_positions / plan.batch_size;
  if (plan.last_batch == LastBatch::kDrop && num_full > 0) return num_full;
  return (num_positions + plan.batch_size - 1) / plan.batch_size;
}

// Whether the last batch of an epoch is filled with samples that the epoch has had.
bool IsFilled(LastBatch last) { return last == LastBatch::kPad || last == LastBatch::kWrap; }

// The order of epochs of `size` samples of a set.
std::unique_ptr<const models::EpochOrder> MakeOrder(const BatchPlan& plan, int64_t set_size,
                                                    int64_t size) {
  RandomKey key = plan.shuffle;
  // Negative ordinals below those of orders are no one else's.
  constexpr int64_t kParts = int64_t{-1} << 40;
  if (plan.part != 0) key.seed = static_cast<int64_t>(RandomBits(key, kParts - plan.part));
  if (plan.sources != nullptr) return MakeMixedOrder(plan.sources, key, plan.batch_size, size);
  return plan.draw ? MakeDrawnOrder(plan.order, key, set_size, *plan.draw)
                   : plan.order->MakeEpochOrder(key, size);
}

}  // namespace

BatchOrdinals::BatchOrdinals(const BatchPlan& plan, int64_t set_size)
    : plan_(plan),
      num_positions_(NumPositions(plan, set_size)),
      num_batches_(NumBatches(plan, num_positions_)),
      order_(MakeOrder(plan, set_size, num_positions_)) {}

TrainingBatch BatchOrdinals::Numbered(int64_t number) const {
  return {.epoch = EpochOf(number), .index = number % num_batches_};
}

Positions BatchOrdinals::OfBatch(int64_t index) const {
  const int64_t from = index * plan_.batch_size;
  const int64_t end = from + plan_.batch_size;
  return {from, IsFilled(plan_.last_batch) ? end : std::min(end, num_positions_)};
}

Positions BatchOrdinals::OfSlice(int64_t index) const {
  const Positions whole = OfBatch(index);
  const auto border = [&](int64_t slice) {
    return std::min(whole.from + plan_.batch_size * slice / plan_.num_slices, whole.to);
  };
  return {border(plan_.slice), border(plan_.slice + 1)};
}

WantedSamples BatchOrdinals::WantedBy(int64_t from, int64_t to) const {
  TIDEMILL_CHECK(from < to && to <= EndOfEpoch(from));
  const int64_t epoch = EpochOf(from);
  const int64_t first = from % num_batches_;
  const int64_t last = first + to - from;
  WantedSamples wanted;
  // Adjacent slices are asked for together.
  Positions run = OfSlice(first);
  wanted.sizes.push_back(run.to - run.from);
  for (int64_t index = first + 1; index < last; ++index) {
    const Positions next = OfSlice(index);
    wanted.sizes.push_back(next.to - next.from);
    if (next.from != run.to) {
      Append(epoch, run, wanted.ordinals);
      run.from = next.from;
    }
    run.to = next.to;
  }
  Append(epoch, run, wanted.ordinals);
  return wanted;
}

void BatchOrdinals::Append(int64_t epoch, Positions positions,
                           std::vector<int64_t>& ordinals) const {
  while (positions.from < positions.to) {
    const int64_t first = positions.from % num_positions_;
    const int64_t count = std::min(positions.to - positions.from, num_positions_ - first);
    ordinals.resize(ordinals.size() + static_cast<size_t>(count));
    const auto added = std::span(ordinals).last(static_cast<size_t>(count));
    order_->Get(epoch, first, added);
    if (plan_.subset != nullptr) {
      for (int64_t& ordinal : added) ordinal = plan_.subset->ordinals[ordinal];
    }
    positions.from += count;
  }
}

}  // namespace tidemill::loader
