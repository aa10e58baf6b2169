// The training loop: batches in, a trained network out. A function of spec, trigger, parent and
// batches alone: interrupted anywhere and resumed from a checkpoint, it ends with the same bits. A
// sample that alone makes the loss useless is taken out of its batch before the weights learn of
// it, and counted among the skipped ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/batch_source.h"
#include "loader/tensors.h"
#include "models/network.h"
#include "models/optimizer.h"
#include "models/spec/model_spec.h"
#include "trainer_server/training/early_stopping.h"
#include "trainer_server/training/loss_curve.h"
#include "trainer_server/training/pending_number.h"
#include "training/training_spec.h"

namespace tidemill::trainer_server {

// Counters of a training; part of its checkpoints.
struct TrainingCounters {
  // Trained or, if empty or without a finite loss, passed over; through all epochs.
  int64_t batches = 0;
  int64_t samples = 0;  // Holes included.
  int64_t num_skipped = 0;
  // Of the optimiser: the position in the schedule of the learning rate.
  int64_t num_steps = 0;
  // Batches left out because the loss was not a finite number: all, and in a row until now.
  int64_t num_not_finite = 0;
  int64_t num_not_finite_in_row = 0;
  // Epochs that have ended, batches of the present one, and what there was before it.
  int64_t epoch = 0;
  int64_t epoch_batches = 0;
  int64_t steps_before_epoch = 0;
  int64_t samples_before_epoch = 0;
  // Of the present epoch.
  double loss_sum = 0;
  int64_t loss_samples = 0;
  // Mean loss of the last epoch that ended with one.
  double last_epoch_loss = 0;

  double loss() const {
    return loss_samples > 0 ? loss_sum / static_cast<double>(loss_samples) : last_epoch_loss;
  }
};

// What those who choose a training's samples want its checkpoints to hold.
struct Companion {
  std::vector<double> numbers = {};
  // By ordinal, the loss that the sample had when it was trained on last, in training mode; NaN for
  // one that was not yet. Empty unless TrainingSetup::num_losses says otherwise.
  std::vector<float> losses = {};
};

// What a training is made of.
struct TrainingSetup {
  models::ModelSpec model;
  models::TrainingSpec training;
  int64_t trigger = 0;
  torch::Device device = torch::kCPU;
  // What the graph makes, for a training whose batches do not say: one with buckets.
  models::InputSpecs inputs = {};
  // Weights to start from; absent for a fresh initialisation.
  std::optional<std::string> parent_weights = std::nullopt;
  // Opens one pass over the samples held out; nullptr when none are.
  std::function<absl::StatusOr<std::unique_ptr<loader::BatchSource>>()> held_out = nullptr;
  // Ordinals that there are, for a training that is to remember the last loss of each; 0 for none.
  int64_t num_losses = 0;
  // Is told of samples that alone make a loss useless, and outlives the training; nobody is, if
  // nullptr.
  loader::BadSamples* bad = nullptr;
};

// What a network says of a batch, on the training's device; row r of each belongs to row r of the
// batch.
struct Answers {
  torch::Tensor output;     // [n, outputs] float32.
  torch::Tensor target;     // As in loader::TensorBatch.
  torch::Tensor embedding;  // [n, d] float32; undefined unless asked for.
};

// Owns torch's global generator and thread count for as long as it runs: one per process.
class TrainingLoop {
 public:
  // Called after each batch; a failure ends the training with it.
  using Observer = std::function<absl::Status(TrainingLoop&)>;

  explicit TrainingLoop(TrainingSetup setup);

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
  const TrainingCounters& counters() const { return counters_; }
  const LossCurve& loss_curve() const { return curve_; }
  const StoppingState& stopping() const { return stopping_; }
  Companion& companion() { return companion_; }
  // Seconds that Run() has waited for its source.
  double wait_seconds() const { return wait_seconds_; }

 private:
  // A batch on the device.
  struct DeviceBatch {
    models::Inputs inputs;
    torch::Tensor target;
    torch::Tensor weight;
    double weight_sum = 0;  // The number of rows where they have no weights.
  };

  absl::Status Begin(models::Network network);
  absl::Status BeginWithParent();
  bool IsOver() const;
  absl::Status Visit(const loader::TrainingBatch& batch, const loader::BatchSource& source);
  absl::Status MakeNetworkFor(const models::Inputs& inputs);
  absl::Status CheckTakesPaddedRows();
  absl::StatusOr<DeviceBatch> Prepare(const loader::TrainingBatch& batch);
  torch::Tensor OutputOf(const DeviceBatch& batch);
  torch::Tensor LossesOf(const DeviceBatch& batch);
  torch::Tensor MeanOf(const torch::Tensor& losses, const torch::Tensor& weight) const;
  double DivisorOf(const DeviceBatch& batch) const;
  absl::Status Remember(const loader::TrainingBatch& batch, const torch::Tensor& losses);
  // What is left of the batch, if a sample was to be taken out.
  absl::StatusOr<std::optional<loader::TrainingBatch>> AddGradients(
      const loader::TrainingBatch& batch);
  // A batch's loss, summed up as its gradients are, and its number.
  struct BatchLoss {
    torch::Tensor losses;  // [n]
    torch::Tensor loss;
    PendingNumber number;
    bool has_gradients = false;  // They were added to those of the weights.
  };
  absl::StatusOr<BatchLoss> LossOf(const DeviceBatch& batch);
  static void AddGradientsOf(BatchLoss& loss);
  // The loss, but NaN where the forward pass has left a buffer that is not finite.
  torch::Tensor WithBuffers(const torch::Tensor& loss) const;
  absl::StatusOr<std::optional<loader::TrainingBatch>> TakeOutCulprits(
      const loader::TrainingBatch& batch, const DeviceBatch& moved, const torch::Tensor& losses);
  // [n], of a network that measures: rows do not touch each other.
  torch::Tensor LargestOutputs(const DeviceBatch& batch);
  absl::Status Learn(const loader::TrainingBatch& batch, const DeviceBatch& moved, BatchLoss loss,
                     double value);
  // What a forward pass changes without gradients, as it was before the last one.
  void KeepBuffers();
  void RestoreBuffers();
  absl::Status CloseGroup(const loader::BatchSource& source);
  void Count(const loader::TrainingBatch& batch);
  absl::Status EndEpoch();
  // FAILED_PRECONDITION with more unreadable samples than training.max_bad_samples admits.
  absl::Status CheckLimit() const;
  absl::Status CheckOwnHoles() const;
  absl::Status MeasureHeldOut();
  absl::Status RefuseLoss();
  models::TensorFile Encode(std::vector<torch::Tensor>& kept);
  absl::Status Decode(const models::TensorFile& file);

  const TrainingSetup setup_;
  TrainingCounters counters_;
  LossCurve curve_;
  StoppingState stopping_;
  Companion companion_;
  std::optional<models::Network> network_;  // Absent until the shape of the input is known.
  std::optional<models::Optimizer> optimizer_;
  // The state of the best epoch, in the order of StateOf(); empty before there is one.
  std::vector<torch::Tensor> best_;
  // Between batches whose gradients make one step: what to divide by, and how many had gradients.
  bool group_is_open_ = false;
  double group_divisor_ = 0;
  int64_t group_batches_ = 0;
  std::vector<torch::Tensor> buffers_;       // Of the network.
  std::vector<torch::Tensor> kept_buffers_;  // As they were before the last forward pass.
  std::string last_reason_;
  double wait_seconds_ = 0;
};

// Steps of the optimiser in a whole training: what the learning rate's schedule spans. Those made
// before the present epoch, and as many in all epochs from it on as the source has batches for now.
int64_t NumSteps(const models::TrainingSpec& spec, const TrainingCounters& counters,
                 const loader::BatchSource& source);

// FAILED_PRECONDITION when more samples were unreadable than training.max_bad_fraction admits.
// `reason` says why one was, or nothing.
absl::Status CheckHoles(int64_t num_skipped, int64_t num_samples, double max_bad_fraction,
                        std::string_view reason);

// Sets what must not differ between two runs of the same training: the number of threads and
// deterministic algorithms. Call it first in the process.
void MakeDeterministic(int64_t num_threads);

// The device to train on. FAILED_PRECONDITION when a GPU is asked for and there is none.
absl::StatusOr<torch::Device> ChooseDevice(models::Device device);

}  // namespace tidemill::trainer_server
