// The course of a training that a program of the user makes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "models/program_weights.h"
#include "plugin/process/plugin_instance.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/job/course.h"
#include "trainer_server/job/prepared_training.h"
#include "trainer_server/job/program_checkpoint.h"
#include "trainer_server/job/training_report.h"

namespace tidemill::trainer_server {

// Gives a program the batches that it asks for, and keeps what it hands over: reports, checkpoints,
// and its model. The program runs in a plug-in's process. When that dies, or this process does, the
// next one continues from the last checkpoint. Thread-compatible.
//
//   this process    run    next batch    next batch  ...  kept
//   program             ^ batch      ^ batch              ^ checkpoint  ...  ^ model
class ProgramCourse final : public Course {
 public:
  // `training` and `report` must outlive this object. The training must run a program.
  ProgramCourse(const PreparedTraining& training, TrainingReport& report);

  // Returns when the program has returned a model. Errors of the program are as in
  // plugin/process/fault.h, and INVALID_ARGUMENT where its process dies twice without a checkpoint
  // between. ABORTED after the checkpoint of a process that was told to end. Also returns the
  // errors of the sources, and of writing checkpoints.
  absl::Status Run();

  // Returns what the program has returned; call it once, after Run().
  models::PackedModel TakeModel() { return std::move(model_); }

  const PreparedTraining& training() const override { return training_; }
  const TrainingCounters* counters() const override { return &state_.counters; }
  const LossCurve* loss_curve() const override { return &state_.curve; }
  const loader::BatchSource* source() const override { return source_.get(); }
  int64_t first_samples() const override { return first_samples_; }
  int64_t samples_total() const override;
  int64_t num_deleted() const override;
  double wait_seconds() const override { return wait_seconds_; }

 private:
  // Opens the batches after the last checkpoint.
  absl::Status Resume();
  // Runs the program in a process, to its model.
  absl::Status Converse();
  // Asks the program, and takes its reports.
  absl::StatusOr<nlohmann::json> Ask(const plugin::PluginInstance::Request& request);
  absl::StatusOr<nlohmann::json> Begin();
  // Gives the program what it wants. std::nullopt when it wants nothing more.
  absl::StatusOr<std::optional<nlohmann::json>> Give(const nlohmann::json& wanted);
  absl::StatusOr<nlohmann::json> GiveBatch(bool may_save);
  // The next batch, as the source has it; std::nullopt at the end of the training.
  absl::StatusOr<std::optional<loader::TrainingBatch>> NextBatch();
  absl::Status Count(const loader::TrainingBatch& batch);
  absl::Status EndEpoch();
  absl::Status Keep(const nlohmann::json& answer);
  void TakeReports(const nlohmann::json& answer);
  // Returns the bytes of a binary column of the last answer.
  absl::StatusOr<std::string> BytesOf(const nlohmann::json& answer, const char* column) const;

  const PreparedTraining& training_;
  TrainingReport& report_;
  const Checkpoints checkpoints_;
  const plugin::PluginUse use_;
  std::optional<plugin::PluginInstance> program_;
  std::unique_ptr<loader::BatchSource> source_;
  ProgramState state_;
  models::PackedModel model_;
  bool has_died_ = false;     // The program's process.
  int64_t checkpointed_ = 0;  // The samples when a checkpoint was last considered.
  int64_t kept_batches_ = 0;  // The batches of the last checkpoint.
  int64_t first_samples_ = 0;
  double wait_seconds_ = 0;
  std::string reason_;  // Why one of the skipped samples was skipped.
};

}  // namespace tidemill::trainer_server
