// The training loop: batches in, a trained network out. A function of spec, trigger, parent and
// batches alone: interrupted anywhere and resumed from a checkpoint, it ends with the same bits. A
// sample that alone makes the loss useless is taken out of its batch before the weights learn of
// it, and counted among the skipped ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/batch_source.h"
#include "trainer_server/training/learner.h"
#include "trainer_server/training/training_counters.h"
#include "trainer_server/training/training_setup.h"
#include "trainer_server/training/training_state.h"

namespace tidemill::trainer_server {

// Owns torch's global generator and thread count for as long as it runs: one per process.
class TrainingLoop {
 public:
  // Called after each batch; a failure ends the training with it.
  using Observer = std::function<absl::Status(TrainingLoop&)>;

  explicit TrainingLoop(TrainingSetup setup);
  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  // Goes on from what Checkpoint() gave. DATA_LOSS for something else, FAILED_PRECONDITION for a
  // checkpoint of another network.
  absl::Status Restore(std::string_view checkpoint);

  // Trains until the source ends, the budget is used up or the held-out loss no longer falls.
  // `source` starts where counters() say: after so many batches of all, in that epoch. Its next
  // batch is asked for between two steps, when it may Ask() the network. INVALID_ARGUMENT for data
  // that do not suit the model; FAILED_PRECONDITION when the loss stays infinite or too many
  // samples are of no use.
  absl::Status Run(loader::BatchSource& source, const Observer& observer);

  // What the network says of a batch as it is now: in evaluation mode, without gradients, drawing
  // no random numbers. A network that is not there yet is made, as for the first step. Errors as of
  // Run(); FAILED_PRECONDITION when `embed` is asked of a network without an embedding. The batch
  // has rows.
  absl::StatusOr<Answers> Ask(const loader::TrainingBatch& batch, bool embed);

  // Whether a checkpoint can be made now: not between batches whose gradients make one step.
  bool can_checkpoint() const { return !group_is_open_; }

  // The full state: weights, optimiser, generators, counters, loss curve, thread count, companion.
  // FAILED_PRECONDITION unless can_checkpoint().
  absl::StatusOr<std::string> Checkpoint();

  // The network as a safetensors file. FAILED_PRECONDITION when nothing could be learnt or a weight
  // is not a finite number.
  absl::StatusOr<std::string> Weights() const;

  const TrainingSetup& setup() const { return setup_; }
  const TrainingCounters& counters() const { return state_.counters; }
  const LossCurve& loss_curve() const { return state_.curve; }
  const StoppingState& stopping() const { return state_.stopping; }
  Companion& companion() { return state_.companion; }
  // Seconds that Run() has waited for its source.
  double wait_seconds() const { return wait_seconds_; }

 private:
  bool IsOver() const;
  absl::Status Visit(const loader::TrainingBatch& batch, const loader::BatchSource& source);
  // What is left of the batch, if a sample was to be taken out.
  absl::StatusOr<std::optional<loader::TrainingBatch>> AddGradients(
      const loader::TrainingBatch& batch);
  absl::StatusOr<std::optional<loader::TrainingBatch>> TakeOutCulprits(
      const loader::TrainingBatch& batch, const DeviceBatch& moved, const torch::Tensor& losses);
  absl::Status Learn(const loader::TrainingBatch& batch, const DeviceBatch& moved, BatchLoss loss,
                     double value);
  absl::Status Remember(const loader::TrainingBatch& batch, const torch::Tensor& losses);
  absl::Status CloseGroup(const loader::BatchSource& source);
  void Count(const loader::TrainingBatch& batch);
  absl::Status EndEpoch();
  // FAILED_PRECONDITION with more unreadable samples than training.max_bad_samples admits.
  absl::Status CheckLimit() const;
  absl::Status CheckOwnHoles() const;
  absl::Status MeasureHeldOut();
  absl::Status RefuseLoss();

  const TrainingSetup setup_;
  TrainingState state_;
  Learner learner_;
  // Between batches whose gradients make one step: what to divide by, and how many had gradients.
  bool group_is_open_ = false;
  double group_divisor_ = 0;
  int64_t group_batches_ = 0;
  std::string last_reason_;
  double wait_seconds_ = 0;
};

}  // namespace tidemill::trainer_server
