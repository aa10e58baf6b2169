// The part of a batch that a user's score is shown.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "models/loss.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// The samples of a batch whose numbers are all finite, with the columns that the scorer uses.
// Samples with other numbers have no score, as with built-in methods.
struct ScoreBlock {
  batch::Batch columns = {};
  std::vector<int64_t> rows = {};  // The rows of the batch, ascending.
};

// Returns the block of a batch, for a question with a scorer. `answers` are the network's answers
// about the batch. Throws c10::Error: call it in Guard().
absl::StatusOr<ScoreBlock> MakeScoreBlock(const Question& question, const models::LossSpec& loss,
                                          const batch::Batch& batch, const Answers& answers);

}  // namespace tidemill::trainer_server
