// The network that is trained: its answers and its losses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/tensors.h"
#include "models/network.h"
#include "models/optimizer.h"
#include "models/start_weights.h"
#include "trainer_server/ranks/gradient_sums.h"
#include "trainer_server/training/devices/device_copies.h"
#include "trainer_server/training/pending_number.h"
#include "trainer_server/training/row_pairs.h"
#include "trainer_server/training/training_setup.h"

namespace tidemill::trainer_server {

// A batch on the training's device.
// With pairs, rows are mixed when the network learns of them; they themselves are as they were
// read.
struct DeviceBatch {
  models::Inputs inputs;
  torch::Tensor target;
  torch::Tensor weight;
  double weight_sum = 0;  // The number of rows when they have no weights.
  std::vector<RowPair> pairs = {};
};

// The loss of a batch, reduced in the same way as for its gradients, and as a number.
struct BatchLoss {
  torch::Tensor losses;  // [n]
  torch::Tensor loss;
  PendingNumber number;
  bool has_gradients = false;  // Whether its gradients were added to the gradients of the weights.
};

// The network's answers about a batch, on the training's device. Row r of each tensor belongs to
// row r of the batch.
struct Answers {
  torch::Tensor output;     // [n, outputs] float32.
  torch::Tensor target;     // As in loader::TensorBatch.
  torch::Tensor embedding;  // [n, d] float32; only on request, otherwise undefined.
};

// A network and its optimiser on the training's device. Methods that return no status throw what
// libtorch throws: call them in models::Guard(). Thread-compatible.
class Learner {
 public:
  // `setup` must outlive this object.
  explicit Learner(const TrainingSetup& setup) : setup_(setup), copies_(setup.device) {}
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Gives a network the additions of training.lora, unless it has them. Begin() does so, too.
  absl::Status AddLowRank(models::Network& network) const;

  // Puts the network into training mode, except for what is frozen.
  void BeginTrainingMode() { models::BeginTrainingMode(*network_); }

  // Whether there is a network. It is given to Begin(), or made for the first batch.
  bool has_network() const { return network_.has_value(); }
  const models::Network& network() const { return *network_; }
  // What the network has taken of training.start_from; empty when it began otherwise.
  const std::string& start_note() const { return start_note_; }
  void set_start_note(std::string note) { start_note_ = std::move(note); }
  models::Optimizer& optimizer() { return *optimizer_; }
  // Adds up gradients over ranks. There must be ranks and a network.
  GradientSums& gradient_sums() { return *gradient_sums_; }

  // Trains this network from now on, with a new optimiser. Seeds torch's generators.
  absl::Status Begin(models::Network network);
  // Begins with the setup's parent_weights. FAILED_PRECONDITION when they do not fit the model.
  absl::Status BeginWithParent();
  // Begins with a new network for the columns that the graph makes.
  absl::Status BeginWithNewNetwork();

  // Returns the batch on the device. The first batch makes the network if there is none.
  // INVALID_ARGUMENT when the data does not fit the model. FAILED_PRECONDITION when the input has
  // changed.
  absl::StatusOr<DeviceBatch> Prepare(const loader::TrainingBatch& batch);

  // Does the same for a batch to learn from, and draws its pairs where the training augments.
  absl::StatusOr<DeviceBatch> PrepareToLearn(const loader::TrainingBatch& batch);

  // Returns the losses [n] of rows that are not mixed, with the network in its current mode.
  torch::Tensor LossesOf(const DeviceBatch& batch);
  // Returns the loss to learn from. Saves the network's buffers first.
  BatchLoss LossOf(const DeviceBatch& batch);
  // Returns the losses [n] by which rows of the batch can be blamed for its `loss`: rows that are
  // mixed spoil one another's. Restores the network's buffers.
  torch::Tensor OwnLosses(const DeviceBatch& batch, const BatchLoss& loss);
  // Adds the gradients of the loss times `scale` to the gradients of the weights. A second call
  // does nothing.
  static void AddGradientsOf(BatchLoss& loss, double scale);
  // Returns the divisor of the sum of a batch's weighted losses.
  double DivisorOf(const DeviceBatch& batch) const;
  // Returns the largest outputs [n]. The network is in evaluation mode, so rows do not influence
  // one another.
  torch::Tensor LargestOutputs(const DeviceBatch& batch);
  // See TrainingLoop::Ask().
  absl::StatusOr<Answers> Ask(const loader::TrainingBatch& batch, bool embed);

  // The seconds that copies to the device took, as far as they are known.
  double copy_seconds() { return copies_.seconds(); }

  // Whether the network has buffers, which a forward pass changes without gradients.
  bool has_buffers() const { return !buffers_.empty(); }
  // Restores the buffers to their state before the last LossOf().
  void RestoreBuffers();
  // Whether the rows of a batch influence one another, so that a rank without a row takes part,
  // too.
  bool normalises_over_batch() const { return normalises_over_batch_; }
  // A batch without rows, for such a network.
  DeviceBatch NoRows() const;
  // Whether the last LossOf() has changed a buffer.
  bool HasChangedBuffers() const;
  // Copies of the buffers, and the buffers as they were copied.
  std::vector<torch::Tensor> CopyBuffers() const;
  void SetBuffers(const std::vector<torch::Tensor>& copies);
  // Whether every weight and buffer is a finite number.
  bool IsFinite() const;

 private:
  absl::Status MakeNetworkFor(const models::InputSpecs& inputs);
  absl::Status CheckTakesPaddedRows();
  torch::Tensor OutputOf(const models::Inputs& inputs);
  torch::Tensor MixedLossesOf(const DeviceBatch& batch);
  torch::Tensor MeanOf(const torch::Tensor& losses, const torch::Tensor& weight) const;
  // Returns the loss, or NaN when the forward pass has left a buffer that is not finite.
  torch::Tensor WithBuffers(const torch::Tensor& loss) const;
  void KeepBuffers();

  const TrainingSetup& setup_;
  DeviceCopies copies_;
  std::optional<models::Network> network_;
  std::optional<models::Optimizer> optimizer_;
  std::vector<torch::Tensor> buffers_;       // The buffers of the network.
  std::vector<torch::Tensor> kept_buffers_;  // Their state before the last forward pass.
  std::unique_ptr<GradientSums> gradient_sums_;
  bool normalises_over_batch_ = false;
  std::string start_note_;
};

}  // namespace tidemill::trainer_server
