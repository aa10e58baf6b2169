// Chooses from all samples before each period of epochs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/scoring.h"
#include "trainer_server/downsampling/source_base.h"

namespace tidemill::trainer_server {

// Implements sample_then_batch, and the methods that use losses, whose period is one epoch. A
// choice is read from its file if there is one. Otherwise it is made with the current network, and
// written.
class PeriodSource final : public SourceBase {
 public:
  PeriodSource(std::unique_ptr<const JudgingMethod> method, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);
  PeriodSource(std::unique_ptr<const LossMethod> method, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);

  // Finds the choice of the epoch in which a training resumes. NOT_FOUND; DATA_LOSS.
  absl::Status Open();

  int64_t num_samples() const override { return num_samples_; }
  // An epoch for which nothing was chosen has one batch without rows.
  int64_t num_batches() const override;
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override;
  absl::Status Forget(int64_t epoch) override;

 private:
  // Exactly one of the two methods is not null.
  PeriodSource(std::unique_ptr<const JudgingMethod> judging,
               std::unique_ptr<const LossMethod> by_losses, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);
  // Returns the number of epochs between two choices. It is all epochs when the method says 0.
  int64_t PeriodLength(int64_t period) const;
  int64_t PeriodOf(int64_t epoch) const;
  absl::Status BeginPeriod(int64_t epoch, int64_t first_batch);
  absl::StatusOr<Choice> MakeChoice(int64_t epoch);
  absl::StatusOr<Choice> ChooseByLosses(int64_t epoch) const;
  absl::StatusOr<Choice> ScoreAndChoose(int64_t epoch);
  loader::Subset Everything() const;

  const std::unique_ptr<const JudgingMethod> judging_;
  const std::unique_ptr<const LossMethod> by_losses_;
  const ChoiceFiles files_;
  const std::shared_ptr<const loader::Subset> candidates_;
  const int64_t num_candidates_;
  const double fraction_;
  const int64_t period_;
  Choice choice_;  // The choice of the current period.
  int64_t num_samples_;
  int64_t first_epoch_ = 0;  // The first epoch of the current period.
  int64_t next_epoch_ = 0;   // The epoch that begins when the stream ends or is empty.
};

}  // namespace tidemill::trainer_server
