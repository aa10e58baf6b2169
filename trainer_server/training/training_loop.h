// The training loop takes batches and returns a trained network. The result depends only on the
// spec, the trigger, the parent and the batches. A training that is interrupted anywhere and
// resumed from a checkpoint ends with the same bits. A sample that alone makes the loss useless is
// removed from its batch before the weights learn from it. It is counted among the skipped samples.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/batch_source.h"
#include "trainer_server/training/devices/device_times.h"
#include "trainer_server/training/learner.h"
#include "trainer_server/training/training_counters.h"
#include "trainer_server/training/training_setup.h"
#include "trainer_server/training/training_state.h"

namespace tidemill::trainer_server {

// Owns torch's global generator and thread count while it runs, so there can be only one per
// process.
class TrainingLoop {
 public:
  // Called after each batch. A failure ends the training and is its result.
  using Observer = std::function<absl::Status(TrainingLoop&)>;

  explicit TrainingLoop(TrainingSetup setup);
  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  // Continues from the result of Checkpoint(). DATA_LOSS when it is not a checkpoint.
  // FAILED_PRECONDITION when it is of another network.
  absl::Status Restore(std::string_view checkpoint);

  // Trains until the source ends, the budget is used up, or the held-out loss does not fall any
  // more. `source` must begin at the batch and the epoch of counters(). Its next batch is requested
  // between two steps, when the source may Ask() the network. INVALID_ARGUMENT when the data does
  // not fit the model. FAILED_PRECONDITION when the loss stays infinite, or too many samples cannot
  // be used.
  absl::Status Run(loader::BatchSource& source, const Observer& observer);

  // After a failed Run() of a training with ranks: gives up the step that has begun, so that a
  // checkpoint can be made. A training that resumes from it makes that step again.
  void GiveUpStep();

  // Returns the current network's answers about a batch, in evaluation mode, without gradients and
  // without drawing random numbers. The batch must have rows. If there is no network yet, it is
  // made as for the first step. Returns the errors of Run(). FAILED_PRECONDITION when `embed` is
  // set and the network has no embedding.
  absl::StatusOr<Answers> Ask(const loader::TrainingBatch& batch, bool embed);

  // Whether a checkpoint can be made now. No checkpoint can be made between batches whose gradients
  // form one step.
  bool can_checkpoint() const { return !group_is_open_; }

  // Returns the full state: weights, optimiser, generators, counters, loss curve, thread count and
  // companion. FAILED_PRECONDITION unless can_checkpoint().
  absl::StatusOr<std::string> Checkpoint();

  // Returns the network as a safetensors file. FAILED_PRECONDITION when nothing could be learnt, or
  // when a weight is not finite.
  absl::StatusOr<std::string> Weights() const;

  const TrainingSetup& setup() const { return setup_; }
  const TrainingCounters& counters() const { return state_.counters; }
  const LossCurve& loss_curve() const { return state_.curve; }
  // What the network has taken of training.start_from; empty when it began otherwise.
  const std::string& start_note() const { return learner_.start_note(); }
  const StoppingState& stopping() const { return state_.stopping; }
  // The samples that have been deleted since they were selected, as this process, or with ranks all
  // of them, have noticed.
  int64_t num_deleted() const;
  Companion& companion() { return state_.companion; }
  // The seconds for which Run() has waited for its source.
  double wait_seconds() const { return wait_seconds_; }
  // The seconds for which the device had nothing to compute between steps, by its own clock, as far
  // as they are known; std::nullopt on processors.
  std::optional<double> device_idle_seconds() const {
    return idle_.is_measured() ? std::optional(idle_seconds_) : std::nullopt;
  }
  // The seconds that copies of batches to the device took.
  double copy_seconds() { return learner_.copy_seconds(); }

 private:
  bool IsOver() const;
  // The sums over a batch, in all ranks.
  struct BatchSums;

  absl::Status Visit(const loader::TrainingBatch& batch, const loader::BatchSource& source);
  // Adds the gradients of this rank's slice of a batch to those of the others.
  absl::Status VisitSlice(const loader::TrainingBatch& slice, const loader::BatchSource& source);
  // Returns the loss of the slice; std::nullopt when there is nothing to learn from. `sums` gets
  // what the slice has come to.
  absl::StatusOr<std::optional<BatchLoss>> LossOfSlice(const loader::TrainingBatch& slice,
                                                       BatchSums& sums);
  // Adds up the numbers of the slice and, meanwhile, its gradients.
  absl::Status SumWithGradients(std::optional<BatchLoss>& loss, BatchSums& sums);
  // Takes in what the batch has come to. Returns whether its gradients are wanted.
  absl::StatusOr<bool> TakeSums(const loader::TrainingBatch& slice, BatchSums& sums);
  // The same as WithoutCulprits() for a network that normalises over the batch: as soon as one rank
  // has a culprit, the losses of all are others.
  absl::StatusOr<std::optional<loader::TrainingBatch>> TogetherWithoutCulprits(
      const loader::TrainingBatch& slice, DeviceBatch& moved, BatchLoss& loss, double& value);
  // FAILED_PRECONDITION for a network whose buffers depend on the rows of a batch, unless they are
  // those of all ranks.
  absl::Status CheckBuffers();
  void BeginStep();
  // Lets batch normalisation see the whole batch.
  void ShareNormalisation();
  // Whether the batch is the last one of a step, once it has been counted.
  bool EndsStep(const loader::TrainingBatch& batch, const loader::BatchSource& source) const;
  // Returns the rest of the batch if a sample must be removed.
  absl::StatusOr<std::optional<loader::TrainingBatch>> AddGradients(
      const loader::TrainingBatch& batch);
  // Computes a loss that looks suspicious again without the samples that spoil it. Returns the rest
  // of the batch if a sample must be removed; `loss` is void when nothing is left.
  absl::StatusOr<std::optional<loader::TrainingBatch>> WithoutCulprits(
      const loader::TrainingBatch& batch, DeviceBatch& moved, BatchLoss& loss, double& value);
  absl::StatusOr<std::optional<loader::TrainingBatch>> RemoveCulprits(
      const loader::TrainingBatch& batch, const DeviceBatch& moved, const torch::Tensor& losses);
  absl::Status Learn(const loader::TrainingBatch& batch, const DeviceBatch& moved, BatchLoss loss,
                     double value);
  // Adds a batch with this mean loss to what is measured. It has not been counted yet.
  void Measure(double value, int64_t num_rows, int64_t num_holes);
  absl::Status Remember(const loader::TrainingBatch& batch, const torch::Tensor& losses);
  absl::Status CloseGroup(const loader::BatchSource& source);
  absl::Status EndEpoch();
  // FAILED_PRECONDITION when there are more unreadable samples than training.max_bad_samples
  // allows.
  absl::Status CheckLimit() const;
  absl::Status CheckOwnHoles() const;
  absl::Status MeasureHeldOut();
  absl::StatusOr<std::optional<double>> HeldOutLoss();
  // Gives the network the weights with which the training ends.
  absl::Status TakeLastWeights();
  absl::Status RefuseLoss();
  // The factor of losses when gradients are computed; 1 unless it trains in float16.
  double LossFactor() const;
  // Whether gradients that were computed in float16 are finite. Adapts the factor.
  absl::StatusOr<bool> UnscaleGradients(double divisor);
  // Says how many samples of a batch fit into memory, after a step on all of them did not.
  absl::Status ReportFittingBatchSize(const loader::TrainingBatch& batch,
                                      const absl::Status& failed);
  absl::Status TryStep(const loader::TrainingBatch& batch);

  const TrainingSetup setup_;
  const std::vector<models::ModuleOptimizer> optimizers_;
  TrainingState state_;
  Learner learner_;
  // Used between batches whose gradients form one step: the divisor, and the number of batches with
  // gradients.
  bool group_is_open_ = false;
  double group_divisor_ = 0;
  int64_t group_batches_ = 0;
  // With ranks: the state and the buffers before the step that has begun; absent between steps.
  struct BeforeStep {
    TrainingState state;
    std::vector<torch::Tensor> buffers;
  };
  std::optional<BeforeStep> before_step_;
  bool has_checked_buffers_ = false;
  int64_t deleted_in_all_ = 0;
  std::string last_reason_;
  double wait_seconds_ = 0;
  DeviceIdle idle_;
  double idle_seconds_ = 0;
};

}  // namespace tidemill::trainer_server
