// Makes a pass over samples with the network of a training.
#pragma once

#include <functional>

#include "base/status.h"
#include "loader/batch_source.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/sample_scores.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// Adds the network's answers about a batch. The batch must have rows.
absl::Status Look(TrainingLoop& loop, const Question& question, const loader::TrainingBatch& batch,
                  Seen& seen);

// Does the same for all batches of a source with one epoch. Calls `each` after each batch.
// FAILED_PRECONDITION when too many samples are unreadable.
absl::StatusOr<Seen> LookAtAll(TrainingLoop& loop, const Question& question,
                               loader::BatchSource& source,
                               const std::function<absl::Status()>& each);

}  // namespace tidemill::trainer_server
