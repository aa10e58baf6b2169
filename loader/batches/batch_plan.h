// Says which batches of a training set to make.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/numbers/random.h"
#include "loader/plan/subset.h"
#include "loader/sample_sources.h"
#include "models/training/buckets_spec.h"
#include "models/training/orders/order_spec.h"

namespace tidemill::loader {

// What happens to the last batch of an epoch when there are too few samples for it.
enum class LastBatch {
  kKeep,  // It is smaller. Some of its slices may be empty.
  kDrop,  // It is left out, so that all batches are full, unless it is the only one.
  kPad,   // It is filled with the epoch's first samples again. They have a weight of zero.
  kWrap,  // It is filled with them, and they keep their weights.
};

// A value: two makers of the same plan over the same set make the same batches.
struct BatchPlan {
  int64_t batch_size = 1;
  int64_t epochs = 1;
  // The seed of the order of an epoch. The maker sets its `epoch`.
  RandomKey shuffle;
  models::OrderSpec order = {};
  // The samples that an epoch visits: `subset` or `draw`. Without either, all samples.
  std::shared_ptr<const Subset> subset = nullptr;  // Shared with its chooser.
  std::optional<RepeatedDraw> draw = std::nullopt;
  // Replaces `order`: batches are filled from these sources in turn. Not with a draw.
  // Shared with the code that divided the set.
  std::shared_ptr<const SampleSources> sources = nullptr;
  // Distinguishes plans over different parts of one set, so that their orders differ.
  int64_t part = 0;
  // The number of the first epoch, for a consumer whose earlier epochs had other samples.
  int64_t first_epoch = 0;
  // Without it, nothing in the graph is random, as when a model is measured.
  bool training = true;
  // Whether an op `standardize` applies to the target, as for a loss. Without it, targets keep
  // their units.
  bool standardize_target = true;
  // The number of batches, counted through all epochs, to skip at the beginning, because a resumed
  // training has already used them.
  int64_t first_batch = 0;
  LastBatch last_batch = LastBatch::kKeep;
  // Sorts the samples of `window` batches by length before they are divided into batches. Windows
  // are counted through all epochs, from batch 0 on, and end with an epoch. The number of samples
  // in a batch does not change.
  std::optional<models::Buckets> buckets = std::nullopt;
  // Makes slice `slice` out of `num_slices` equal parts of each batch, for consumers that share a
  // batch. Side by side, the slices are the batch, whatever their number.
  int64_t slice = 0;
  int64_t num_slices = 1;
};

}  // namespace tidemill::loader
