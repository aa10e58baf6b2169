// A pass over samples that looks at them with the network of a training.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "models/training/downsampling_spec.h"
#include "trainer_server/downsampling/choose.h"
#include "trainer_server/downsampling/sample_scores.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// What a method asks of a sample.
struct Question {
  // Without: gradients.
  std::optional<ScoreOf> score = ScoreOf::kLoss;
  bool embeddings = false;
  bool classes = false;
  // By ordinal, what is subtracted from the score; empty for nothing.
  std::vector<float> subtracted = {};
};

// std::nullopt for methods that look at no sample.
std::optional<Question> QuestionOf(const models::DownsamplingSpec& method);

// Adds what the network says of a batch. Must have rows.
absl::Status Look(TrainingLoop& loop, const Question& question, const loader::TrainingBatch& batch,
                  Seen& seen);

// The same for all batches of a source, which has one epoch; `each` is called after each of them.
// FAILED_PRECONDITION when too many samples are unreadable.
absl::StatusOr<Seen> LookAtAll(TrainingLoop& loop, const Question& question,
                               loader::BatchSource& source,
                               const std::function<absl::Status()>& each);

}  // namespace tidemill::trainer_server
