// Batches without the samples whose target the model cannot have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/bad_samples.h"
#include "loader/batch_source.h"
#include "models/spec/model_spec.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::trainer_server {

// A sample whose target the model cannot have, and what is wrong with it.
struct ForeignTarget {
  int64_t row = 0;
  std::string reason;
};

// Finds the classes that a model has no output for, and the real values that are no finite numbers.
// Finds none where the targets are of another kind than the loss: then no sample is to blame.
std::vector<ForeignTarget> FindForeignTargets(const batch::Batch& rows,
                                              const models::LossSpec& loss, int64_t outputs);

// Passes on the batches of another source. A sample that has such a target costs itself alone: it
// leaves a hole, as one that cannot be read does, and is reported. Thread-compatible.
class LearnableBatches final : public loader::BatchSource {
 public:
  // `bad` may be absent.
  LearnableBatches(std::unique_ptr<loader::BatchSource> source, models::LossSpec loss,
                   int64_t outputs, std::shared_ptr<loader::BadSamples> bad);

  int64_t num_samples() const override { return source_->num_samples(); }
  int64_t num_batches() const override { return source_->num_batches(); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override;
  loader::PathWork work() const override { return source_->work(); }

 private:
  const std::unique_ptr<loader::BatchSource> source_;
  const models::LossSpec loss_;
  const int64_t outputs_;
  const std::shared_ptr<loader::BadSamples> bad_;
};

}  // namespace tidemill::trainer_server
