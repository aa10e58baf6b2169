// The course of a training: from its last checkpoint, or from the start, to its last batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/downsampling/downsampled_source.h"
#include "trainer_server/job/course.h"
#include "trainer_server/job/prepared_training.h"
#include "trainer_server/job/training_report.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {

// Trains in a folder. A process that is killed loses its work since its last checkpoint; the next
// process continues there and trains the same weights. Thread-compatible.
//
//   auxiliary model -> [ checkpoint | nothing ] -> batches, a checkpoint now and then -> end
class TrainingCourse final : public Course {
 public:
  // `training` and `report` must outlive this object.
  TrainingCourse(const PreparedTraining& training, TrainingReport& report);
  TrainingCourse(const TrainingCourse&) = delete;
  TrainingCourse& operator=(const TrainingCourse&) = delete;

  // Returns after the last batch of the training. Returns the errors of TrainingLoop::Run(), of the
  // sources, and of writing checkpoints.
  absl::Status Run();

  // Ends the course of a rank. `ended` is how Run() and what came after it have ended here. Waits
  // for the others to end, and leaves the state for those who continue where a rank is lost.
  // Returns `ended`, or ABORTED when the training is over here but not there. Does nothing without
  // ranks.
  absl::Status End(absl::Status ended);

  // std::nullopt before the first batch.
  const std::optional<TrainingLoop>& loop() const { return loop_; }

  const PreparedTraining& training() const override { return training_; }
  const TrainingCounters* counters() const override { return loop_ ? &loop_->counters() : nullptr; }
  const LossCurve* loss_curve() const override { return loop_ ? &loop_->loss_curve() : nullptr; }
  const loader::BatchSource* source() const override { return source_.get(); }
  const DownsampledSource* downsampled() const override { return downsampled_; }
  std::string start_note() const override { return loop_ ? loop_->start_note() : std::string(); }
  int64_t first_samples() const override { return first_samples_; }
  int64_t samples_total() const override;
  int64_t num_deleted() const override { return loop_ ? loop_->num_deleted() : 0; }
  double wait_seconds() const override { return loop_ ? loop_->wait_seconds() : 0; }
  std::optional<double> device_idle_seconds() const override {
    return loop_ ? loop_->device_idle_seconds() : std::nullopt;
  }
  double auxiliary_seconds() const override { return auxiliary_seconds_; }

 private:
  absl::Status TrainAuxiliaryModels();
  absl::Status Resume();
  absl::StatusOr<std::optional<StoredCheckpoint>> FindState() const;
  // Whether this process writes what the training has one of.
  bool IsFirst() const;
  absl::Status Begin(const std::string& checkpoint);
  absl::Status AfterScoring();
  absl::Status AfterBatch();
  absl::Status WriteCheckpoint();

  const PreparedTraining& training_;
  TrainingReport& report_;
  const Checkpoints checkpoints_;
  DownsamplingSetup downsampling_;
  double auxiliary_seconds_ = 0;
  std::optional<TrainingLoop> loop_;
  std::unique_ptr<loader::BatchSource> source_;
  DownsampledSource* downsampled_ = nullptr;  // `source_`, when the training downsamples.
  int64_t first_samples_ = 0;
  int64_t first_batches_ = 0;
  int64_t checkpointed_ = 0;        // The samples when a checkpoint was last considered.
  int64_t checkpointed_epoch_ = 0;  // The epoch of the checkpoint written last.
};

}  // namespace tidemill::trainer_server
