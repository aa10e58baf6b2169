// Samples chosen out of all before each period of epochs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/scoring.h"
#include "trainer_server/downsampling/source_base.h"

namespace tidemill::trainer_server {

// sample_then_batch, and methods that look at losses, whose period is one epoch. A choice is read
// from its file where there is one; else it is made, with the network as it is, and written.
class PeriodSource final : public SourceBase {
 public:
  PeriodSource(std::unique_ptr<const JudgingMethod> method, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);
  PeriodSource(std::unique_ptr<const LossMethod> method, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);

  // Finds the choice of the epoch that a resumed training is in. NOT_FOUND; DATA_LOSS.
  absl::Status Open();

  int64_t num_samples() const override { return num_samples_; }
  // An epoch of which nothing was chosen has one batch, without rows.
  int64_t num_batches() const override;
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override;
  absl::Status Forget(int64_t epoch) override;

 private:
  // One of the methods.
  PeriodSource(std::unique_ptr<const JudgingMethod> judging,
               std::unique_ptr<const LossMethod> by_losses, DownsamplingSetup setup,
               TrainingLoop& loop, Tally tally);
  // Epochs between two choices; all of them where the method says 0.
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
  Choice choice_;  // Of the present period.
  int64_t num_samples_;
  int64_t first_epoch_ = 0;                      // Of the present period.
  int64_t next_epoch_ = 0;                       // That begins when the stream ends, or is empty.
  std::unique_ptr<loader::BatchSource> stream_;  // Of the present period.
};

}  // namespace tidemill::trainer_server
