// A pass over samples that looks at them with the network of a training.
#pragma once

#include <functional>

#include "base/status.h"
#include "loader/batch_source.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/sample_scores.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// Adds what the network says of a batch. Must have rows.
absl::Status Look(TrainingLoop& loop, const Question& question, const loader::TrainingBatch& batch,
                  Seen& seen);

// The same for all batches of a source, which has one epoch; `each` is called after each of them.
// FAILED_PRECONDITION when too many samples are unreadable.
absl::StatusOr<Seen> LookAtAll(TrainingLoop& loop, const Question& question,
                               loader::BatchSource& source,
                               const std::function<absl::Status()>& each);

}  // namespace tidemill::trainer_server
