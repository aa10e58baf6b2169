#include "trainer_server/training/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "ATen/Context.h"
#include "ATen/Parallel.h"
#include "base/failpoints.h"
#include "models/guard.h"
#include "models/loss.h"
#include "models/torch_version.h"
#include "trainer_server/training/culprits.h"

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

std::vector<double> ToNumbers(const torch::Tensor& losses) {
  const torch::Tensor values = losses.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const double* const first = values.data_ptr<double>();
  return {first, first + values.numel()};
}

int64_t Ceiling(int64_t dividend, int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

int64_t NumSteps(const models::TrainingSpec& spec, const TrainingCounters& counters,
                 const loader::BatchSource& source) {
  const int64_t of_epoch = Ceiling(source.num_batches(), spec.accumulate);
  const int64_t whole = of_epoch * (spec.epochs - counters.epoch);
  if (!spec.max_samples || source.num_samples() == 0) return counters.steps_before_epoch + whole;
  const int64_t left = spec.max_samples->value - counters.samples_before_epoch;
  const int64_t epochs = left / source.num_samples();
  const int64_t batches = Ceiling(left % source.num_samples(), spec.batch_size);
  return counters.steps_before_epoch +
         std::min(whole, epochs * of_epoch + Ceiling(batches, spec.accumulate));
}

absl::Status CheckHoles(int64_t num_skipped, int64_t num_samples, double max_bad_fraction,
                        std::string_view reason) {
  const double allowed = max_bad_fraction * static_cast<double>(num_samples);
  if (static_cast<double>(num_skipped) <= allowed) return absl::OkStatus();
  return FailedPrecondition(
      "{} of {} samples could not be read, decoded or learnt from, more than max_bad_fraction "
      "admits; {}",
      num_skipped, num_samples,
      reason.empty() ? "they are gone" : fmt::format("for example {}", reason));
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

TrainingLoop::TrainingLoop(TrainingSetup setup) : setup_(std::move(setup)) {
  companion_.losses.assign(static_cast<size_t>(setup_.num_losses),
                           std::numeric_limits<float>::quiet_NaN());
}

absl::Status TrainingLoop::Begin(models::Network network) {
  network.module->to(setup_.device);
  network.module->train();
  if (setup_.training.buckets) network.any_length = setup_.training.buckets->column;
  ASSIGN_OR_RETURN(optimizer_, models::Optimizer::Make(setup_.training.Optimizers(), network));
  network_ = std::move(network);
  for (const torch::Tensor& buffer : network_->module->buffers()) {
    if (!buffer.defined()) continue;
    buffers_.push_back(buffer);
    kept_buffers_.push_back(buffer.detach().clone());
  }
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
  RETURN_IF_ERROR(CheckOwnHoles());
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
  std::optional<loader::TrainingBatch> rest;
  if (batch.rows.num_rows() > 0) {
    ASSIGN_OR_RETURN(rest, AddGradients(batch));
  }
  Count(rest.has_value() ? *rest : batch);
  RETURN_IF_ERROR(CheckLimit());
  const bool epoch_ends = batch.index + 1 == source.num_batches();
  group_is_open_ = true;
  if (epoch_ends || IsOver() || (batch.index + 1) % setup_.training.accumulate == 0) {
    RETURN_IF_ERROR(CloseGroup(source));
  }
  if ((epoch_ends || IsOver()) && setup_.held_out && network_) RETURN_IF_ERROR(MeasureHeldOut());
  return epoch_ends ? EndEpoch() : absl::OkStatus();
}

absl::Status TrainingLoop::EndEpoch() {
  if (counters_.loss_samples > 0) counters_.last_epoch_loss = counters_.loss();
  counters_.loss_sum = 0;
  counters_.loss_samples = 0;
  ++counters_.epoch;
  counters_.epoch_batches = 0;
  counters_.steps_before_epoch = counters_.num_steps;
  counters_.samples_before_epoch = counters_.samples;
  return CheckOwnHoles();
}

absl::Status TrainingLoop::MakeNetworkFor(const models::Inputs& inputs) {
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "init", .trigger = setup_.trigger});
  const auto& buckets = setup_.training.buckets;
  ASSIGN_OR_RETURN(
      models::Network network,
      models::MakeNetwork(setup_.model, buckets ? setup_.inputs : models::SpecsOf(inputs)));
  RETURN_IF_ERROR(Begin(std::move(network)));
  const bool is_ragged = buckets && buckets->layout == models::RowLayout::kRagged;
  return is_ragged ? CheckTakesPaddedRows() : absl::OkStatus();
}

// Whatever a model is trained with, it is measured with rows of full width: better now than then.
absl::Status TrainingLoop::CheckTakesPaddedRows() {
  models::Inputs rows;
  for (const auto& [name, input] : network_->inputs) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), 1);
    rows[name] =
        torch::zeros(shape, input.is_integer ? torch::kInt64 : torch::kFloat32).to(setup_.device);
  }
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  const absl::Status answered = models::Guard("a padded row", [&]() -> absl::Status {
    network_->Forward(rows);
    return absl::OkStatus();
  });
  network_->module->train();
  if (answered.ok()) return answered;
  return InvalidArgument(
      "the model has to take padded rows, too, with which it is measured: give the parameter for "
      "the offsets of ragged ones the default None; {}",
      std::string(answered.message()));
}

absl::StatusOr<TrainingLoop::DeviceBatch> TrainingLoop::Prepare(
    const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(loader::TensorBatch tensors, loader::ToTensors(batch.rows));
  if (!network_) RETURN_IF_ERROR(MakeNetworkFor(tensors.inputs));
  if (const absl::Status fits = network_->CheckShapes(tensors.inputs); !fits.ok()) {
    return FailedPrecondition(
        "the input of the model has changed: {}; train without warm_start or fit the graph at the "
        "first trigger only",
        std::string(fits.message()));
  }
  RETURN_IF_ERROR(network_->Check(tensors.inputs));
  RETURN_IF_ERROR(
      models::CheckTargets(setup_.training.loss, tensors.target, models::NumOutputs(setup_.model)));
  DeviceBatch moved;
  for (const auto& [name, column] : tensors.inputs) {
    moved.inputs[name] = loader::ToDevice(column, setup_.device);
  }
  moved.target = loader::ToDevice(tensors.target, setup_.device);
  moved.weight_sum = static_cast<double>(batch.rows.num_rows());
  if (tensors.weight.defined()) {
    moved.weight_sum = tensors.weight.sum().item<double>();  // Here, where it costs no waiting.
    moved.weight = loader::ToDevice(tensors.weight, setup_.device);
  }
  return moved;
}

torch::Tensor TrainingLoop::OutputOf(const DeviceBatch& batch) {
  if (setup_.training.precision == models::Precision::kBfloat16) {
    const models::Bfloat16Scope in_short_numbers(setup_.device);
    return network_->Forward(batch.inputs);
  }
  return network_->Forward(batch.inputs);
}

torch::Tensor TrainingLoop::LossesOf(const DeviceBatch& batch) {
  return models::SampleLosses(setup_.training.loss, OutputOf(batch), batch.target);
}

absl::StatusOr<Answers> TrainingLoop::Ask(const loader::TrainingBatch& batch, bool embed) {
  return models::Guard("asking the network", [&]() -> absl::StatusOr<Answers> {
    ASSIGN_OR_RETURN(const DeviceBatch moved, Prepare(batch));
    const torch::NoGradGuard no_gradients;
    network_->module->eval();
    Answers answers{.output = OutputOf(moved), .target = moved.target, .embedding = {}};
    if (embed) {
      // A second pass up to the last layer: networks do not say what their last layer was given.
      ASSIGN_OR_RETURN(answers.embedding, network_->Embed(moved.inputs));
    }
    network_->module->train();
    return answers;
  });
}

torch::Tensor TrainingLoop::MeanOf(const torch::Tensor& losses, const torch::Tensor& weight) const {
  return setup_.training.weighted_loss == models::WeightedLoss::kUnbiased
             ? models::WeightedMean(losses, weight)
             : models::SelfNormalisedMean(losses, weight);
}

// What the sum of a batch's weighted losses is divided by.
double TrainingLoop::DivisorOf(const DeviceBatch& batch) const {
  return setup_.training.weighted_loss == models::WeightedLoss::kUnbiased
             ? static_cast<double>(batch.target.size(0))
             : batch.weight_sum;
}

absl::Status TrainingLoop::Remember(const loader::TrainingBatch& batch,
                                    const torch::Tensor& losses) {
  if (companion_.losses.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Column* const column,
                   batch.rows.Get(batch::kOrdinalColumn, batch::DataType::kInt64));
  const torch::Tensor values = losses.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const float* value = values.data_ptr<float>();
  for (const int64_t ordinal : column->Values<int64_t>()) {
    companion_.losses[static_cast<size_t>(ordinal)] = *value++;
  }
  return absl::OkStatus();
}

absl::StatusOr<TrainingLoop::BatchLoss> TrainingLoop::LossOf(const DeviceBatch& batch) {
  KeepBuffers();
  const torch::Tensor losses = LossesOf(batch);
  // Several batches share one divisor, which is known at the end only.
  const torch::Tensor loss = setup_.training.accumulate == 1
                                 ? MeanOf(losses, batch.weight)
                                 : models::WeightedSum(losses, batch.weight);
  return BatchLoss{.losses = losses, .loss = loss, .number = PendingNumber(WithBuffers(loss))};
}

// A batch norm takes a row that is absurd for the spread of its batch: the loss stays small, but
// the running variance is infinite from then on.
torch::Tensor TrainingLoop::WithBuffers(const torch::Tensor& loss) const {
  torch::Tensor number = loss.detach().to(torch::kFloat64);
  for (const torch::Tensor& buffer : buffers_) {
    if (buffer.is_floating_point()) number = number + 0 * buffer.sum();
  }
  return number;
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::AddGradients(
    const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(DeviceBatch moved, Prepare(batch));
  if (!group_is_open_) optimizer_->ZeroGradients();
  ASSIGN_OR_RETURN(BatchLoss loss, LossOf(moved));
  // The device has work while the loss is looked at. Gradients that are not to be can be dropped,
  // but not taken out of those of other batches.
  if (setup_.training.accumulate == 1) AddGradientsOf(loss);
  double value = loss.number.Wait();
  std::optional<loader::TrainingBatch> rest;
  if (IsSuspicious(value)) {
    if (loss.has_gradients) optimizer_->ZeroGradients();
    RestoreBuffers();
    ASSIGN_OR_RETURN(rest, TakeOutCulprits(batch, moved, loss.losses));
    if (rest.has_value()) {
      if (rest->rows.num_rows() == 0) {
        RETURN_IF_ERROR(RefuseLoss());
        return rest;
      }
      ASSIGN_OR_RETURN(moved, Prepare(*rest));
    }
    // Anew in either case: what the first pass did to the buffers was undone.
    ASSIGN_OR_RETURN(loss, LossOf(moved));
    value = loss.number.Wait();
  }
  RETURN_IF_ERROR(Learn(rest.has_value() ? *rest : batch, moved, std::move(loss), value));
  return rest;
}

void TrainingLoop::AddGradientsOf(BatchLoss& loss) {
  if (!std::exchange(loss.has_gradients, true)) loss.loss.backward();
}

absl::Status TrainingLoop::Learn(const loader::TrainingBatch& batch, const DeviceBatch& moved,
                                 BatchLoss loss, double value) {
  RETURN_IF_ERROR(Remember(batch, loss.losses));
  if (!std::isfinite(value)) {
    RestoreBuffers();
    return RefuseLoss();
  }
  AddGradientsOf(loss);
  if (setup_.training.accumulate > 1) {
    const double divisor = DivisorOf(moved);
    group_divisor_ += divisor;
    value = divisor > 0 ? value / divisor : 0;
  }
  const int64_t num_rows = batch.rows.num_rows();
  ++group_batches_;
  counters_.num_not_finite_in_row = 0;
  counters_.loss_sum += value * static_cast<double>(num_rows);
  counters_.loss_samples += num_rows;
  curve_.Add(value, num_rows, counters_.samples + num_rows + batch.num_skipped);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<loader::TrainingBatch>> TrainingLoop::TakeOutCulprits(
    const loader::TrainingBatch& batch, const DeviceBatch& moved, const torch::Tensor& losses) {
  const bool has_learnt = counters_.loss_samples > 0 || counters_.epoch > 0;
  const std::optional<double> usual = has_learnt ? std::optional(counters_.loss()) : std::nullopt;
  // No sample is to blame for weights that have run away.
  if (!IsFinite(*network_)) return std::optional<loader::TrainingBatch>();
  std::string_view what = "its loss";
  std::vector<double> values = ToNumbers(losses);
  std::vector<int64_t> culprits = FindCulprits(values, usual);
  if (culprits.empty() && !buffers_.empty() && network_->module->is_training()) {
    // Normalised over the batch, one sample spoils the losses of all: each for itself, then. Its
    // own loss may be small by luck, what the network answers is not.
    what = "the network's output for it";
    values = ToNumbers(LargestOutputs(moved));
    culprits = FindCulprits(values, usual);
  }
  if (culprits.empty()) return std::optional<loader::TrainingBatch>();
  ASSIGN_OR_RETURN(const std::vector<loader::Unreadable> bad,
                   DescribeCulprits(batch.rows, culprits, what, values));
  if (setup_.bad != nullptr) setup_.bad->Add(bad);
  loader::TrainingBatch rest = batch;
  rest.rows = batch.rows.Take(RowsBut(culprits, batch.rows.num_rows()));
  rest.num_skipped += std::ssize(culprits);
  rest.reason = fmt::format("sample {}: {}", bad.front().key, bad.front().reason);
  return std::optional(std::move(rest));
}

torch::Tensor TrainingLoop::LargestOutputs(const DeviceBatch& batch) {
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  const torch::Tensor outputs = OutputOf(batch);
  network_->module->train();
  return outputs.reshape({outputs.size(0), -1}).abs().amax(1);
}

void TrainingLoop::KeepBuffers() {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < buffers_.size(); ++i) kept_buffers_[i].copy_(buffers_[i]);
}

void TrainingLoop::RestoreBuffers() {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(kept_buffers_[i]);
}

absl::Status TrainingLoop::CloseGroup(const loader::BatchSource& source) {
  group_is_open_ = false;
  const int64_t num_batches = std::exchange(group_batches_, 0);
  const double divisor = std::exchange(group_divisor_, 0);
  if (num_batches == 0) return absl::OkStatus();
  if (divisor > 0) optimizer_->ScaleGradients(1 / divisor);
  const auto& clipping = setup_.training.gradient_clipping;
  if (clipping && !optimizer_->ClipGradients(*clipping)) return RefuseLoss();
  optimizer_->Step(models::LearningRateFactor(setup_.training.schedule, counters_.num_steps,
                                              NumSteps(setup_.training, counters_, source)));
  ++counters_.num_steps;
  return absl::OkStatus();
}

absl::Status TrainingLoop::RefuseLoss() {
  ++counters_.num_not_finite;
  if (++counters_.num_not_finite_in_row < kMaxNotFiniteInRow) return absl::OkStatus();
  return FailedPrecondition(
      "the loss was not a finite number in {} batches in a row, up to batch {}, and no single "
      "sample "
      "is to blame; a lower learning rate, gradient_clipping or standardised inputs may help",
      kMaxNotFiniteInRow, counters_.batches);
}

void TrainingLoop::Count(const loader::TrainingBatch& batch) {
  ++counters_.batches;
  ++counters_.epoch_batches;
  counters_.samples += batch.rows.num_rows() + batch.num_skipped;
  counters_.num_skipped += batch.num_skipped;
  if (!batch.reason.empty()) last_reason_ = batch.reason;
}

absl::Status TrainingLoop::CheckLimit() const {
  const auto& limit = setup_.training.max_bad_samples;
  if (!limit || counters_.num_skipped <= limit->value) return absl::OkStatus();
  return FailedPrecondition(
      "{} samples could not be read, decoded or learnt from, more than the {} of "
      "training.max_bad_samples; {}",
      counters_.num_skipped, limit->value,
      last_reason_.empty() ? "they are gone" : "the last one: " + last_reason_);
}

absl::Status TrainingLoop::CheckOwnHoles() const {
  return CheckHoles(counters_.num_skipped, counters_.samples, setup_.training.max_bad_fraction,
                    last_reason_);
}

absl::Status TrainingLoop::MeasureHeldOut() {
  ASSIGN_OR_RETURN(const auto source, setup_.held_out());
  const torch::NoGradGuard no_gradients;
  network_->module->eval();
  double sum = 0;
  double divisor = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source->Next());
    if (!batch) break;
    if (batch->rows.num_rows() == 0) continue;
    ASSIGN_OR_RETURN(DeviceBatch moved, Prepare(*batch));
    const torch::Tensor losses = LossesOf(moved);
    double of_batch = models::WeightedSum(losses, moved.weight).item<double>();
    if (IsSuspicious(of_batch)) {
      ASSIGN_OR_RETURN(const auto rest, TakeOutCulprits(*batch, moved, losses));
      if (rest.has_value() && rest->rows.num_rows() == 0) continue;
      if (rest.has_value()) {
        ASSIGN_OR_RETURN(moved, Prepare(*rest));
        of_batch = models::WeightedSum(LossesOf(moved), moved.weight).item<double>();
      }
    }
    sum += of_batch;
    divisor += DivisorOf(moved);
  }
  network_->module->train();
  if (divisor == 0) return absl::OkStatus();
  const double loss = sum / divisor;
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
