// What a user's score is shown of a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "models/loss.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// The samples of a batch of which every number is finite, with the columns that the scorer looks
// at. Samples with other numbers have no score, as with built-in methods.
struct ScoreBlock {
  batch::Batch columns = {};
  std::vector<int64_t> rows = {};  // Of the batch, ascending.
};

// Returns the block of a batch, for a question with a scorer. `answers` are those about the batch.
// Throws c10::Error: call it in Guard().
absl::StatusOr<ScoreBlock> MakeScoreBlock(const Question& question, const models::LossSpec& loss,
                                          const batch::Batch& batch, const Answers& answers);

}  // namespace tidemill::trainer_server
