#include "trainer_server/training/training_loop.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "ATen/Context.h"
#include "ATen/Parallel.h"
#include "base/failpoints.h"
#include "models/guard.h"
#include "models/loss.h"
#include "models/torch_version.h"

namespace tidemill::trainer_server {
namespace {

// So many batches in a row without a finite loss end a training: it will not come back.
constexpr int64_t kMaxNotFiniteInRow = 10;

// True when every weight is a finite number.
bool IsFinite(const models::Network& network) {
  for (const auto& [name, tensor] : models::StateOf(network)) {
    if (tensor.is_floating_point() && !torch::isfinite(tensor).all().item<bool>()) return false;
  }
  return true;
}

int64_t Ceiling(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

int64_t NumSteps(const models::TrainingSpec& spec, const loader::BatchSource& source) {
  const int64_t of_epoch = Ceiling(source.num_batches(), spec.accumulate);
  const int64_t whole = of_epoch * spec.epochs;
  if (!spec.max_samples || source.num_samples() == 0) return whole;
  const int64_t epochs = spec.max_samples->value / source.num_samples();
  const int64_t rest = spec.max_samples->value % source.num_samples();
  const int64_t batches = Ceiling(rest, spec.batch_size);
  return std::min(whole, epochs * of_epoch + Ceiling(batches, spec.accumulate));
}

void MakeDeterministic(int64_t num_threads) {
  torch::set_num_threads(static_cast<int>(num_threads));
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

absl::StatusOr<torch::Device> ChooseDevice(models::Device device) {
  return models::Guard("choosing a device", [device]() -> absl::StatusOr<torch::Device> {
    if (device == models::Device::kCpu) return torch::Device(torch::kCPU);
    if (torch::cuda::is_available()) return torch::Device(torch::kCUDA, 0);
    if (device == models::Device::kAuto) return torch::Device(torch::kCPU);
    return FailedPrecondition("training.device is cuda, but libtorch finds no GPU here");
  });
}

TrainingLoop::TrainingLoop(TrainingSetup setup) : setup_(std::move(setup)) {}

absl::Status TrainingLoop::Begin(models::Network network) {
  network.module->to(setup_.device);
  network.module->train();
  ASSIGN_OR_RETURN(optimizer_, models::Optimizer::Make(setup_.training.Optimizers(), network));
  network_ = std::move(network);
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "dropout", .trigger = setup_.trigger});
  return absl::OkStatus();
}

absl::Status TrainingLoop::BeginWithParent() {
  ASSIGN_OR_RETURN(models::Network network,
                   models::DecodeNetwork(setup_.model, *setup_.parent_weights));
  RETURN_IF_ERROR(models::CheckProgram(setup_.model, network));
  return models::Guard("preparing", [&] { return Begin(std::move(network)); });
}

bool TrainingLoop::IsOver() const {
  const auto& budget = setup_.training.max_samples;
  return stopping_.stopped || (budget && counters_.samples >= budget->value);
}

absl::Status TrainingLoop::Run(loader::BatchSource& source, const Observer& observer) {
  if (!network_ && setup_.parent_weights) RETURN_IF_ERROR(BeginWithParent());
  while (!IsOver()) {
    const auto before = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source.Next());
    wait_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (!batch) break;
    RETURN_IF_ERROR(models::Guard("training step", [&] { return Visit(*batch, source); }));
    RETURN_IF_FAILPOINT("trainer_server.mid_training");
    RETURN_IF_ERROR(observer(*this));
  }
  RETURN_IF_ERROR(CheckHoles());
  if (best_.empty() || !setup_.training.early_stopping->restore_best) return absl::OkStatus();
  return models::Guard("restoring the best weights", [&]() -> absl::Status {
    const torch::NoGradGuard no_gradients;
    auto state = models::StateOf(*network_);
    for (size_t i = 0; i < state.size(); ++i) state[i].second.copy_(best_[i]);
    return absl::OkStatus();
  });
}

absl::Status TrainingLoop::Visit(const loader::TrainingBatch& batch,
                                 const loader::BatchSource& source) {
  if (batch.rows.num_rows() > 0) RETURN_IF_ERROR(AddGradients(batch));
  Count(batch);
  const bool epoch_ends = batch.index + 1 == source.num_batches();
  group_is_open_ = true;
  if (epoch_ends || IsOver() || (batch.index + 1) % setup_.training.accumulate == 0) {
    RETURN_IF_ERROR(CloseGroup(source));
  }
  if ((epoch_ends || IsOver()) && setup_.held_out && network_) RETURN_IF_ERROR(MeasureHeldOut());
  if (!epoch_ends) return absl::OkStatus();
  if (counters_.loss_samples > 0) counters_.last_epoch_loss = counters_.loss();
  counters_.loss_sum = 0;
  counters_.loss_samples = 0;
  return CheckHoles();
}

absl::StatusOr<TrainingLoop::DeviceBatch> TrainingLoop::Prepare(
    const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(loader::TensorBatch tensors, loader::ToTensors(batch.rows));
  if (!network_) {
    models::SeedGenerator(
        {.seed = setup_.training.seed, .purpose = "init", .trigger = setup_.trigger});
    ASSIGN_OR_RETURN(models::Network network,
                     models::MakeNetwork(setup_.model, models::SpecsOf(tensors.inputs)));
    RETURN_IF_ERROR(Begin(std::move(network)));
  }
  if (models::SpecsOf(tensors.inputs) != network_->inputs) {
    return FailedPrecondition(
        "the input of the model has changed: {}; train without warm_start or fit the graph at the "
        "first trigger only",
        std::string(network_->Check(tensors.inputs).message()));
  }
  RETURN_IF_ERROR(network_->Check(tensors.inputs));
  RETURN_IF_ERROR(
      models::CheckTargets(setup_.training.loss, tensors.target, models::NumOutputs(setup_.model)));
  DeviceBatch moved;
  for (const auto& [name, column] : tensors.inputs) {
    moved.inputs[name] = loader::ToDevice(column, setup_.device);
  }
  moved.target = loader::ToDevice(tensors.target, setup_.device);
  if (tensors.weight.defined()) moved.weight = loader::ToDevice(tensors.weight, setup_.device);
  return moved;
}

torch::Tensor TrainingLoop::LossesOf(const DeviceBatch& batch) {
  torch::Tensor output;
  if (setup_.training.precision == models::Precision::kBfloat16) {
    const models::Bfloat16Scope in_short_numbers(setup_.device);
    output = network_->Forward(batch.inputs);
  } else {
    output = network_->Forward(batch.inputs);
  }
  return models::SampleLosses(setup_.training.loss, output, batch.target);
}

absl::Status TrainingLoop::AddGradients(const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(const DeviceBatch moved, Prepare(batch));
  if (!group_is_open_) optimizer_->ZeroGradients();
  const torch::Tensor losses = LossesOf(moved);
  const int64_t num_rows = batch.rows.num_rows();
  // Several batches share one divisor, which is known at the end only.
  const bool is_alone = setup_.training.accumulate == 1;
  const torch::Tensor loss = is_alone ? models::WeightedMean(losses, moved.weight)
                                      : models::WeightedSum(losses, moved.weight);
  double value = loss.item<double>();
  if (!std::isfinite(value)) return RefuseLoss();
  loss.backward();
  if (!is_alone) {
    const double weight =
        moved.weight.defined() ? moved.weight.sum().item<double>() : static_cast<double>(num_rows);
    group_weight_ += weight;
    value = weight > 0 ? value / weight : 0;
  }
  ++group_batches_;
  counters_.num_not_finite_in_row = 0;
  counters_.loss_sum += value * static_cast<double>(num_rows);
  counters_.loss_samples += num_rows;
  curve_.Add(value, num_rows, counters_.samples + num_rows + batch.num_skipped);
  return absl::OkStatus();
}

absl::Status TrainingLoop::CloseGroup(const loader::BatchSource& source) {
  group_is_open_ = false;
  const int64_t num_batches = std::exchange(group_batches_, 0);
  const double weight = std::exchange(group_weight_, 0);
  if (num_batches == 0) return absl::OkStatus();
  if (weight > 0) optimizer_->ScaleGradients(1 / weight);
  const auto& clipping = setup_.training.gradient_clipping;
  if (clipping && !optimizer_->ClipGradients(*clipping)) return RefuseLoss();
  optimizer_->Step(models::LearningRateFactor(setup_.training.schedule, counters_.num_steps,
                                              NumSteps(setup_.training, source)));
  ++counters_.num_steps;
  return absl::OkStatus();
}

absl::Status TrainingLoop::RefuseLoss() {
  ++counters_.num_not_finite;
  if (++counters_.num_not_finite_in_row < kMaxNotFiniteInRow) return absl::OkStatus();
  return FailedPrecondition(
      "the loss was not a finite number in {} batches in a row, up to batch {}; a lower learning "
      "rate or standardised inputs may help",
      kMaxNotFiniteInRow, counters_.batches);
}

void TrainingLoop::Count(const loader::TrainingBatch& batch) {
  ++counters_.batches;
  counters_.samples += batch.rows.num_rows() + batch.num_skipped;
  counters_.num_skipped += batch.num_skipped;
  if (!batch.reason.empty()) last_reason_ = batch.reason;
}

absl::Status TrainingLoop::CheckHoles() const {
  const double allowed = setup_.training.max_bad_fraction * static_cast<double>(counters_.samples);
  if (static_cast<double>(counters_.num_skipped) <= allowed) return absl::OkStatus();
  return FailedPrecondition(
      "{} of {} samples could not be read or decoded, more than max_bad_fraction admits; {}",
      counters_.num_skipped, counters_.samples,
      last_reason_.empty() ? "they are gone" : "for example " + last_reason_);
}

absl::Status TrainingLoop::MeasureHeldOut() {
  ASSIGN_OR_RETURN(const auto source, setup_.held_out());
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  double sum = 0;
  double weight = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source->Next());
    if (!batch) break;
    if (batch->rows.num_rows() == 0) continue;
    ASSIGN_OR_RETURN(const DeviceBatch moved, Prepare(*batch));
    sum += models::WeightedSum(LossesOf(moved), moved.weight).item<double>();
    weight += moved.weight.defined() ? moved.weight.sum().item<double>()
                                     : static_cast<double>(batch->rows.num_rows());
  }
  network_->module->train();
  if (weight == 0) return absl::OkStatus();
  const double loss = sum / weight;
  if (std::isfinite(loss)) curve_.AddValidation(loss);
  if (!Observe(*setup_.training.early_stopping, loss, stopping_)) return absl::OkStatus();
  best_.clear();
  for (const auto& [name, tensor] : models::StateOf(*network_)) {
    best_.push_back(tensor.detach().clone());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TrainingLoop::Weights() const {
  if (!network_) {
    return FailedPrecondition("no sample could be read: {}",
                              last_reason_.empty() ? "the training set is empty" : last_reason_);
  }
  if (counters_.num_not_finite > 0 && counters_.num_steps == 0) {
    return FailedPrecondition("the loss was never a finite number");
  }
  RETURN_IF_ERROR(models::Guard("checking weights", [this]() -> absl::Status {
    if (IsFinite(*network_)) return absl::OkStatus();
    return FailedPrecondition("a weight is not a finite number; lower the learning rate");
  }));
  return models::EncodeWeights(*network_);
}

}  // namespace tidemill::trainer_server
