#include "trainer_server/downsampling/scoring.h"

#include <chrono>
#include <limits>
#include <utility>

#include "models/torch/guard.h"
#include "trainer_server/downsampling/sample_scores.h"
#include "trainer_server/downsampling/score_block.h"

namespace tidemill::trainer_server {
namespace {

void Append(const torch::Tensor& tensor, std::vector<float>& values) {
  const torch::Tensor flat = tensor.to(torch::kCPU, torch::kFloat32).contiguous();
  const float* const first = flat.data_ptr<float>();
  values.insert(values.end(), first, first + flat.numel());
}

void AppendScores(const torch::Tensor& scores, const Question& question, Seen& seen) {
  std::vector<float> values;
  Append(scores, values);
  size_t row = seen.scores.size();
  for (const float value : values) {
    const auto ordinal = static_cast<size_t>(seen.ordinals[row++]);
    const float subtracted = question.subtracted.empty() ? 0 : question.subtracted[ordinal];
    seen.scores.push_back(static_cast<double>(value) - static_cast<double>(subtracted));
  }
}

// Appends the scores of a user's code. Samples that it is not shown have no score.
absl::Status AppendOwnScores(const Question& question, const models::LossSpec& loss,
                             const batch::Batch& batch, const Answers& answers, Seen& seen) {
  ASSIGN_OR_RETURN(const ScoreBlock block,
                   models::Guard("scoring", [&]() -> absl::StatusOr<ScoreBlock> {
                     const torch::NoGradGuard no_gradients;
                     return MakeScoreBlock(question, loss, batch, answers);
                   }));
  const size_t first = seen.scores.size();
  seen.scores.resize(first + static_cast<size_t>(batch.num_rows()),
                     std::numeric_limits<double>::quiet_NaN());
  if (block.rows.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<double> scores, question.scorer->Score(block.columns));
  for (size_t i = 0; i < block.rows.size(); ++i) {
    seen.scores[first + static_cast<size_t>(block.rows[i])] = scores[i];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Look(TrainingLoop& loop, const Question& question, const loader::TrainingBatch& batch,
                  Seen& seen) {
  const models::TrainingSpec& training = loop.setup().training;
  ASSIGN_OR_RETURN(const batch::Column* const ordinals,
                   batch.rows.Get(batch::kOrdinalColumn, batch::DataType::kInt64));
  const std::span<const int64_t> added = ordinals->Values<int64_t>();
  seen.ordinals.insert(seen.ordinals.end(), added.begin(), added.end());
  ASSIGN_OR_RETURN(const Answers answers, loop.Ask(batch, question.embeddings));
  if (question.scorer != nullptr) {
    RETURN_IF_ERROR(AppendOwnScores(question, training.loss, batch.rows, answers, seen));
  }
  return models::Guard("scoring", [&]() -> absl::Status {
    const torch::NoGradGuard no_gradients;
    if (question.score) {
      AppendScores(Score(*question.score, training.loss, answers), question, seen);
    } else if (question.scorer == nullptr) {
      seen.width = answers.output.size(1);
      Append(models::OutputGradients(training.loss, answers.output, answers.target),
             seen.gradients);
      if (question.embeddings) {
        seen.embedding_width = answers.embedding.size(1);
        Append(answers.embedding, seen.embeddings);
      }
    }
    if (!question.classes) return absl::OkStatus();
    const torch::Tensor target = answers.target.to(torch::kCPU, torch::kInt64).contiguous();
    const int64_t* const first = target.data_ptr<int64_t>();
    seen.classes.insert(seen.classes.end(), first, first + added.size());
    return absl::OkStatus();
  });
}

absl::StatusOr<Seen> LookAtAll(TrainingLoop& loop, const Question& question,
                               loader::BatchSource& source,
                               const std::function<absl::Status()>& each) {
  Seen seen;
  std::string reason;
  while (true) {
    const auto asked = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source.Next());
    seen.wait_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    if (!batch) break;
    seen.num_skipped += batch->num_skipped;
    seen.num_filtered += batch->num_filtered;
    if (!batch->reason.empty()) reason = batch->reason;
    if (batch->rows.num_rows() > 0) RETURN_IF_ERROR(Look(loop, question, *batch, seen));
    RETURN_IF_ERROR(each());
  }
  RETURN_IF_ERROR(CheckHoles(seen.num_skipped, source.num_samples(),
                             loop.setup().training.max_bad_fraction, reason));
  return seen;
}

}  // namespace tidemill::trainer_server
