// Batches without the samples whose target is not valid for the model.
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

// A sample whose target is not valid for the model, and the reason.
struct ForeignTarget {
  int64_t row = 0;
  std::string reason;
};

// Finds the classes that a model has no output for, and the real values that are not finite
// numbers. Finds none when the targets are of another kind than the loss, because then no single
// sample is to blame.
std::vector<ForeignTarget> FindForeignTargets(const batch::Batch& rows,
                                              const models::LossSpec& loss, int64_t outputs);

// Passes on the batches of another source. A sample that has such a target is reported and leaves a
// hole, like a sample that cannot be read. Thread-compatible.
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
