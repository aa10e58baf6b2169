// Chooses the samples of a batch from a larger batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trainer_server/downsampling/scoring.h"
#include "trainer_server/downsampling/source_base.h"

namespace tidemill::trainer_server {

// Implements batch_then_sample. Probabilities and ranks are computed within the large batch. A
// batch depends only on the network and the samples, so nothing has to be stored.
class BatchChoiceSource final : public SourceBase {
 public:
  BatchChoiceSource(std::unique_ptr<const JudgingMethod> method, DownsamplingSetup setup,
                    TrainingLoop& loop, Tally tally);

  absl::Status Open();

  int64_t num_samples() const override;
  int64_t num_batches() const override;
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override;

 private:
  int64_t NumChosen(int64_t num_read) const;
  absl::StatusOr<loader::TrainingBatch> ChooseOf(const loader::TrainingBatch& large);

  const std::unique_ptr<const JudgingMethod> method_;
  const double fraction_;
  const int64_t large_batch_;
  const std::shared_ptr<const loader::Subset> candidates_;
  const int64_t num_candidates_;
  std::optional<Question> question_;  // From the first batch that is scored on.
  // Counted in the current epoch.
  int64_t num_read_ = 0;
  Holes in_pass_;
};

}  // namespace tidemill::trainer_server
