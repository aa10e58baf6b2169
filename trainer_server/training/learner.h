// The network that is trained: what it says of batches, and what they cost it.
#pragma once

#include <optional>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/tensors.h"
#include "models/network.h"
#include "models/optimizer.h"
#include "trainer_server/training/pending_number.h"
#include "trainer_server/training/training_setup.h"

namespace tidemill::trainer_server {

// A batch on the training's device.
struct DeviceBatch {
  models::Inputs inputs;
  torch::Tensor target;
  torch::Tensor weight;
  double weight_sum = 0;  // The number of rows where they have no weights.
};

// A batch's loss, summed up as its gradients are, and its number.
struct BatchLoss {
  torch::Tensor losses;  // [n]
  torch::Tensor loss;
  PendingNumber number;
  bool has_gradients = false;  // They were added to those of the weights.
};

// What a network says of a batch, on the training's device; row r of each belongs to row r of the
// batch.
struct Answers {
  torch::Tensor output;     // [n, outputs] float32.
  torch::Tensor target;     // As in loader::TensorBatch.
  torch::Tensor embedding;  // [n, d] float32; undefined unless asked for.
};

// A network and its optimiser on the training's device. Methods that return no status throw what
// libtorch throws: call them in models::Guard(). Thread-compatible.
class Learner {
 public:
  // `setup` must outlive it.
  explicit Learner(const TrainingSetup& setup) : setup_(setup) {}
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // There is no network until one is begun with, or the first batch says what it takes.
  bool has_network() const { return network_.has_value(); }
  const models::Network& network() const { return *network_; }
  models::Optimizer& optimizer() { return *optimizer_; }

  // Trains this network from here on, with a new optimiser. Seeds torch's generators.
  absl::Status Begin(models::Network network);
  // Begins with the setup's parent_weights. FAILED_PRECONDITION when they do not suit the model.
  absl::Status BeginWithParent();

  // The batch on the device; the first one makes the network, if there is none. INVALID_ARGUMENT
  // for data that do not suit the model, FAILED_PRECONDITION where the input has changed.
  absl::StatusOr<DeviceBatch> Prepare(const loader::TrainingBatch& batch);

  // [n], of the network in the mode that it is in.
  torch::Tensor LossesOf(const DeviceBatch& batch);
  // The loss to learn from. Keeps the network's buffers first.
  BatchLoss LossOf(const DeviceBatch& batch);
  // Adds the gradients of the loss to those of the weights, once.
  static void AddGradientsOf(BatchLoss& loss);
  // What the sum of a batch's weighted losses is divided by.
  double DivisorOf(const DeviceBatch& batch) const;
  // [n], of a network that measures: rows do not touch each other.
  torch::Tensor LargestOutputs(const DeviceBatch& batch);
  // See TrainingLoop::Ask().
  absl::StatusOr<Answers> Ask(const loader::TrainingBatch& batch, bool embed);

  // What a forward pass changes without gradients.
  bool has_buffers() const { return !buffers_.empty(); }
  // Puts them back as they were before the last LossOf().
  void RestoreBuffers();
  // Whether every weight and buffer is a finite number.
  bool IsFinite() const;

 private:
  absl::Status MakeNetworkFor(const models::Inputs& inputs);
  absl::Status CheckTakesPaddedRows();
  torch::Tensor OutputOf(const DeviceBatch& batch);
  torch::Tensor MeanOf(const torch::Tensor& losses, const torch::Tensor& weight) const;
  // The loss, but NaN where the forward pass has left a buffer that is not finite.
  torch::Tensor WithBuffers(const torch::Tensor& loss) const;
  void KeepBuffers();

  const TrainingSetup& setup_;
  std::optional<models::Network> network_;
  std::optional<models::Optimizer> optimizer_;
  std::vector<torch::Tensor> buffers_;       // Of the network.
  std::vector<torch::Tensor> kept_buffers_;  // As they were before the last forward pass.
};

}  // namespace tidemill::trainer_server
