// Which batches of a training set to make.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/random.h"
#include "loader/plan/subset.h"
#include "loader/sample_sources.h"
#include "models/training/buckets_spec.h"
#include "models/training/orders/order_spec.h"

namespace tidemill::loader {

// What becomes of the last batch of an epoch when there are too few samples for it.
enum class LastBatch {
  kKeep,  // It is smaller; of the slices of it some may be empty.
  kDrop,  // It is left out, so that all batches are full; a set of less than one gives none.
  kPad,   // It is filled with the epoch's first samples again, which weigh nothing.
  kWrap,  // The same, but they count.
};

// A pure description: two makers of the same plan over the same set make the same batches.
struct BatchPlan {
  int64_t batch_size = 1;
  int64_t epochs = 1;
  // Seeds the order of an epoch; its `epoch` is set by the maker.
  RandomKey shuffle;
  models::OrderSpec order = {};
  // Which samples an epoch visits: those of one or the other, else all.
  std::shared_ptr<const Subset> subset = nullptr;  // Shared with whoever chose it.
  std::optional<RepeatedDraw> draw = std::nullopt;
  // Instead of `order`: batches are filled from these in turn. Not with a draw.
  std::shared_ptr<const SampleSources> sources = nullptr;  // Shared with whoever divided the set.
  // Tells plans over parts of one set from one another, that their orders are not alike.
  int64_t part = 0;
  // The number of the first epoch, for whom the epochs before had other samples.
  int64_t first_epoch = 0;
  // Without: what is random in the graph is not, as when a model is measured.
  bool training = true;
  // Batches, counted through all epochs, to leave out at the beginning: those that a resumed
  // training has had.
  int64_t first_batch = 0;
  LastBatch last_batch = LastBatch::kKeep;
  // Sorts the samples of `window` batches by length before they are put into batches. Windows are
  // counted through all epochs, from batch 0 on, and end with an epoch. A batch has as many samples
  // as without.
  std::optional<models::Buckets> buckets = std::nullopt;
  // Makes the `slice`-th of `num_slices` equal parts of each batch, so that as many consumers share
  // a batch. Side by side the slices are the batch, however many they are.
  int64_t slice = 0;
  int64_t num_slices = 1;
};

}  // namespace tidemill::loader
