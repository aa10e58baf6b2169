#include "trainer_server/training/learner.h"

#include <string>
#include <utility>

#include "models/loss.h"
#include "models/shared_norm.h"
#include "models/torch/guard.h"
#include "models/torch/torch_version.h"
#include "trainer_server/training/mixture.h"

namespace tidemill::trainer_server {

absl::Status Learner::Begin(models::Network network) {
  network.module->to(setup_.device);
  RETURN_IF_ERROR(AddLowRank(network));
  if (network.low_rank != nullptr) network.low_rank->To(setup_.device);
  RETURN_IF_ERROR(models::Freeze(setup_.training.frozen, network));
  models::BeginTrainingMode(network);
  if (setup_.training.buckets) network.any_length = setup_.training.buckets->column;
  ASSIGN_OR_RETURN(optimizer_, models::Optimizer::Make(setup_.training.Optimizers(), network));
  network_ = std::move(network);
  normalises_over_batch_ = models::NormalisesOverBatch(*network_->module);
  for (const torch::Tensor& buffer : network_->module->buffers()) {
    if (!buffer.defined()) continue;
    buffers_.push_back(buffer);
    kept_buffers_.push_back(buffer.detach().clone());
  }
  if (setup_.ranks != nullptr) {
    std::vector<torch::Tensor> trained;
    for (const auto& [name, tensor] : models::TrainedOf(*network_)) trained.push_back(tensor);
    gradient_sums_ = std::make_unique<GradientSums>(*setup_.ranks, trained);
  }
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "dropout", .trigger = setup_.trigger});
  return absl::OkStatus();
}

absl::Status Learner::AddLowRank(models::Network& network) const {
  if (!setup_.training.lora || network.low_rank != nullptr) return absl::OkStatus();
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "lora", .trigger = setup_.trigger});
  return models::LowRank::Add(*setup_.training.lora, network);
}

absl::Status Learner::BeginWithParent() {
  ASSIGN_OR_RETURN(models::Network network,
                   models::DecodeNetwork(setup_.model, *setup_.parent_weights));
  RETURN_IF_ERROR(models::CheckProgram(setup_.model, network));
  return models::Guard("preparing", [&] { return Begin(std::move(network)); });
}

absl::Status Learner::BeginWithNewNetwork() { return MakeNetworkFor(setup_.inputs); }

absl::Status Learner::MakeNetworkFor(const models::InputSpecs& inputs) {
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "init", .trigger = setup_.trigger});
  ASSIGN_OR_RETURN(models::Network network, models::MakeNetwork(setup_.model, inputs));
  if (setup_.start_weights) {
    ASSIGN_OR_RETURN(
        const models::TakenWeights taken,
        models::TakeWeights(*setup_.training.start_from, *setup_.start_weights, network));
    start_note_ = taken.Describe();
  }
  RETURN_IF_ERROR(Begin(std::move(network)));
  const auto& buckets = setup_.training.buckets;
  const bool is_ragged = buckets && buckets->layout == models::RowLayout::kRagged;
  return is_ragged ? CheckTakesPaddedRows() : absl::OkStatus();
}

// Whatever a model is trained with, it is measured with rows of full width: better now than then.
absl::Status Learner::CheckTakesPaddedRows() {
  models::Inputs rows;
  for (const auto& [name, input] : network_->inputs) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), 1);
    rows[name] =
        torch::zeros(shape, input.is_integer ? torch::kInt64 : torch::kFloat32).to(setup_.device);
  }
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  absl::Status answered = models::Guard("a padded row", [&]() -> absl::Status {
    network_->Forward(rows);
    return absl::OkStatus();
  });
  BeginTrainingMode();
  if (answered.ok()) return answered;
  return InvalidArgument(
      "the model must take padded rows, too, because it is measured with them; give the parameter "
      "for the offsets of ragged rows the default None; {}",
      std::string(answered.message()));
}

absl::StatusOr<DeviceBatch> Learner::Prepare(const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(loader::TensorBatch tensors, loader::ToTensors(batch.rows));
  if (!network_) {
    RETURN_IF_ERROR(setup_.training.buckets ? BeginWithNewNetwork()
                                            : MakeNetworkFor(models::SpecsOf(tensors.inputs)));
  }
  if (const absl::Status fits = network_->CheckShapes(tensors.inputs); !fits.ok()) {
    return FailedPrecondition(
        "the input of the model has changed: {}; train without warm_start, or fit the graph at the "
        "first trigger only",
        std::string(fits.message()));
  }
  RETURN_IF_ERROR(network_->Check(tensors.inputs));
  RETURN_IF_ERROR(
      models::CheckTargets(setup_.training.loss, tensors.target, setup_.model->NumOutputs()));
  DeviceBatch moved;
  for (const auto& [name, column] : tensors.inputs) {
    moved.inputs[name] = copies_.Start(column);
  }
  moved.target = copies_.Start(tensors.target);
  moved.weight_sum = static_cast<double>(batch.rows.num_rows());
  if (tensors.weight.defined()) {
    moved.weight_sum = tensors.weight.sum().item<double>();  // Here, where it costs no waiting.
    moved.weight = copies_.Start(tensors.weight);
  }
  copies_.Join();
  return moved;
}

absl::StatusOr<DeviceBatch> Learner::PrepareToLearn(const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(DeviceBatch moved, Prepare(batch));
  if (!setup_.training.augment) return moved;
  ASSIGN_OR_RETURN(const batch::Column* const ordinals,
                   batch.rows.Get(batch::kOrdinalColumn, batch::DataType::kInt64));
  const RandomKey key{
      .seed = setup_.training.seed, .purpose = {}, .trigger = setup_.trigger, .epoch = batch.epoch};
  moved.pairs = DrawPairs(*setup_.training.augment, key, ordinals->Values<int64_t>());
  return moved;
}

torch::Tensor Learner::OutputOf(const models::Inputs& inputs) {
  const models::Precision precision = setup_.training.precision;
  if (precision == models::Precision::kFloat32) return network_->Forward(inputs);
  const models::ShortNumbersScope in_short_numbers(
      setup_.device,
      precision == models::Precision::kBfloat16 ? torch::kBFloat16 : torch::kFloat16);
  return network_->Forward(inputs);
}

torch::Tensor Learner::LossesOf(const DeviceBatch& batch) {
  return models::SampleLosses(setup_.training.loss, OutputOf(batch.inputs), batch.target);
}

torch::Tensor Learner::MixedLossesOf(const DeviceBatch& batch) {
  const Mixture mixture = Mix(*setup_.training.augment, batch.pairs, batch.inputs, batch.target);
  const torch::Tensor output = OutputOf(mixture.inputs);
  const models::LossSpec& loss = setup_.training.loss;
  return mixture.share * models::SampleLosses(loss, output, batch.target) +
         (1 - mixture.share) * models::SampleLosses(loss, output, mixture.partner_target);
}

torch::Tensor Learner::OwnLosses(const DeviceBatch& batch, const BatchLoss& loss) {
  RestoreBuffers();
  if (batch.pairs.empty()) return loss.losses;
  const torch::NoGradGuard no_gradients;
  const torch::Tensor losses = LossesOf(batch);
  RestoreBuffers();
  return losses;
}

absl::StatusOr<Answers> Learner::Ask(const loader::TrainingBatch& batch, bool embed) {
  return models::Guard("asking the network", [&]() -> absl::StatusOr<Answers> {
    ASSIGN_OR_RETURN(const DeviceBatch moved, Prepare(batch));
    const torch::NoGradGuard no_gradients;
    network_->module->eval();
    Answers answers{.output = OutputOf(moved.inputs), .target = moved.target, .embedding = {}};
    if (embed) {
      // A second pass up to the last layer: networks do not say what their last layer was given.
      ASSIGN_OR_RETURN(answers.embedding, network_->Embed(moved.inputs));
    }
    BeginTrainingMode();
    return answers;
  });
}

torch::Tensor Learner::MeanOf(const torch::Tensor& losses, const torch::Tensor& weight) const {
  return setup_.training.weighted_loss == models::WeightedLoss::kUnbiased
             ? models::WeightedMean(losses, weight)
             : models::SelfNormalisedMean(losses, weight);
}

// The divisor of the sum of a batch's weighted losses.
double Learner::DivisorOf(const DeviceBatch& batch) const {
  return setup_.training.weighted_loss == models::WeightedLoss::kUnbiased
             ? static_cast<double>(batch.target.size(0))
             : batch.weight_sum;
}

BatchLoss Learner::LossOf(const DeviceBatch& batch) {
  KeepBuffers();
  const torch::Tensor losses = batch.pairs.empty() ? LossesOf(batch) : MixedLossesOf(batch);
  // Several batches, or several ranks, share one divisor, which is known at the end only.
  const torch::Tensor loss = setup_.training.accumulate == 1 && setup_.ranks == nullptr
                                 ? MeanOf(losses, batch.weight)
                                 : models::WeightedSum(losses, batch.weight);
  return BatchLoss{.losses = losses, .loss = loss, .number = PendingNumber(WithBuffers(loss))};
}

// A batch norm takes a row that is absurd for the spread of its batch: the loss stays small, but
// the running variance is infinite from then on.
torch::Tensor Learner::WithBuffers(const torch::Tensor& loss) const {
  torch::Tensor number = loss.detach().to(torch::kFloat64);
  for (const torch::Tensor& buffer : buffers_) {
    if (buffer.is_floating_point()) number = number + 0 * buffer.sum();
  }
  return number;
}

void Learner::AddGradientsOf(BatchLoss& loss, double scale) {
  if (std::exchange(loss.has_gradients, true)) return;
  if (scale == 1) return loss.loss.backward();
  (loss.loss * scale).backward();
}

torch::Tensor Learner::LargestOutputs(const DeviceBatch& batch) {
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  const torch::Tensor outputs = OutputOf(batch.inputs);
  BeginTrainingMode();
  return outputs.reshape({outputs.size(0), -1}).abs().amax(1);
}

void Learner::KeepBuffers() {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < buffers_.size(); ++i) kept_buffers_[i].copy_(buffers_[i]);
}

void Learner::RestoreBuffers() {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(kept_buffers_[i]);
}

DeviceBatch Learner::NoRows() const {
  const torch::TensorOptions on_device(setup_.device);
  DeviceBatch none;
  for (const auto& [name, input] : network_->inputs) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), 0);
    none.inputs[name] =
        torch::zeros(shape, on_device.dtype(input.is_integer ? torch::kInt64 : torch::kFloat32));
  }
  const bool is_of_classes = setup_.training.loss->IsOfClasses();
  none.target = torch::zeros({0}, on_device.dtype(is_of_classes ? torch::kInt64 : torch::kFloat32));
  return none;
}

bool Learner::HasChangedBuffers() const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!torch::equal(buffers_[i], kept_buffers_[i])) return true;
  }
  return false;
}

std::vector<torch::Tensor> Learner::CopyBuffers() const {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> copies;
  for (const torch::Tensor& buffer : buffers_) copies.push_back(buffer.detach().clone());
  return copies;
}

void Learner::SetBuffers(const std::vector<torch::Tensor>& copies) {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(copies[i]);
}

bool Learner::IsFinite() const {
  for (const auto& [name, tensor] : models::StateOf(*network_)) {
    if (tensor.is_floating_point() && !torch::isfinite(tensor).all().item<bool>()) return false;
  }
  return true;
}

}  // namespace tidemill::trainer_server
