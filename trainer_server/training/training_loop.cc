#include "trainer_server/training/training_loop.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "ATen/Context.h"
#include "ATen/Parallel.h"
#include "base/failpoints.h"
#include "loader/tensors.h"
#include "models/guard.h"
#include "models/loss.h"

namespace tidemill::trainer_server {
namespace {

// So many steps in a row without a finite loss end a training: it will not come back.
constexpr int64_t kMaxNotFiniteInRow = 10;

constexpr char kModelPrefix[] = "model.";
constexpr char kOptimizerPrefix[] = "optimizer.";
constexpr char kGenerator[] = "generator.cpu";
constexpr char kDeviceGenerator[] = "generator.device";
constexpr char kIntegers[] = "counters.integers";
constexpr char kNumbers[] = "counters.numbers";
constexpr char kThreads[] = "num_threads";
constexpr char kInputShape[] = "input_shape";

torch::Generator GeneratorOf(torch::Device device) {
  return at::globalContext().defaultGenerator(device);
}

// True when every weight is a finite number.
bool IsFinite(const models::Network& network) {
  for (const torch::Tensor& parameter : network.layers->parameters()) {
    if (!torch::isfinite(parameter).all().item<bool>()) return false;
  }
  return true;
}

absl::StatusOr<torch::Tensor> Find(const models::TensorFile& file, const char* name) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) return DataLoss("the checkpoint has no {}", name);
  return models::TensorOf(it->second);
}

}  // namespace

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
  network.layers->to(setup_.device);
  network.layers->train();
  network_ = std::move(network);
  optimizer_.emplace(setup_.training.optimizer, *network_);
  models::SeedGenerator(
      {.seed = setup_.training.seed, .purpose = "dropout", .trigger = setup_.trigger});
  return absl::OkStatus();
}

absl::Status TrainingLoop::Run(loader::BatchSource& source, const Observer& observer) {
  if (!network_ && setup_.parent_weights) {
    ASSIGN_OR_RETURN(models::Network network,
                     models::DecodeNetwork(setup_.model, *setup_.parent_weights));
    RETURN_IF_ERROR(models::Guard("preparing", [&] { return Begin(std::move(network)); }));
  }
  while (true) {
    const auto before = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, source.Next());
    wait_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (!batch) return absl::OkStatus();
    if (batch->rows.num_rows() > 0) {
      RETURN_IF_ERROR(models::Guard("training step", [&] { return Step(*batch); }));
    }
    RETURN_IF_ERROR(Count(*batch, source));
    RETURN_IF_FAILPOINT("trainer_server.mid_training");
    RETURN_IF_ERROR(observer(*this));
  }
}

absl::Status TrainingLoop::Step(const loader::TrainingBatch& batch) {
  ASSIGN_OR_RETURN(loader::TensorBatch tensors, loader::ToTensors(batch.rows));
  if (!network_) {
    models::SeedGenerator(
        {.seed = setup_.training.seed, .purpose = "init", .trigger = setup_.trigger});
    ASSIGN_OR_RETURN(models::Network network,
                     models::MakeNetwork(setup_.model, tensors.input.sizes().slice(1).vec()));
    RETURN_IF_ERROR(Begin(std::move(network)));
  }
  if (tensors.input.sizes().slice(1).vec() != network_->input_shape) {
    return FailedPrecondition(
        "the input of the model has changed its shape; train without "
        "warm_start or fit the graph at the first trigger only");
  }
  const models::Loss loss_kind = setup_.training.loss;
  RETURN_IF_ERROR(
      models::CheckTargets(loss_kind, tensors.target, models::NumOutputs(setup_.model)));
  const torch::Tensor input = tensors.input.to(setup_.device);
  const torch::Tensor target = tensors.target.to(setup_.device);
  if (tensors.weight.defined()) tensors.weight = tensors.weight.to(setup_.device);
  optimizer_->ZeroGradients();
  ASSIGN_OR_RETURN(const torch::Tensor losses,
                   models::SampleLosses(loss_kind, network_->Forward(input), target));
  const torch::Tensor loss = models::WeightedMean(losses, tensors.weight);
  const auto value = loss.item<double>();
  if (!std::isfinite(value)) return RefuseLoss();
  loss.backward();
  optimizer_->Step();
  ++counters_.num_steps;
  counters_.num_not_finite_in_row = 0;
  counters_.loss_sum += value * static_cast<double>(batch.rows.num_rows());
  counters_.loss_samples += batch.rows.num_rows();
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

absl::Status TrainingLoop::Count(const loader::TrainingBatch& batch,
                                 const loader::BatchSource& source) {
  ++counters_.batches;
  counters_.samples += batch.rows.num_rows() + batch.num_skipped;
  counters_.num_skipped += batch.num_skipped;
  if (!batch.reason.empty()) last_reason_ = batch.reason;
  if (batch.index + 1 < source.num_batches()) return absl::OkStatus();
  if (counters_.loss_samples > 0) counters_.last_epoch_loss = counters_.loss();
  counters_.loss_sum = 0;
  counters_.loss_samples = 0;
  const double allowed = setup_.training.max_bad_fraction * static_cast<double>(counters_.samples);
  if (static_cast<double>(counters_.num_skipped) <= allowed) return absl::OkStatus();
  return FailedPrecondition(
      "{} of {} samples could not be read or decoded, more than max_bad_fraction admits; {}",
      counters_.num_skipped, counters_.samples,
      last_reason_.empty() ? "they are gone" : "for example " + last_reason_);
}

absl::StatusOr<std::string> TrainingLoop::Checkpoint() {
  return models::Guard("writing a checkpoint", [&]() -> absl::StatusOr<std::string> {
    models::TensorFile file;
    std::vector<torch::Tensor> kept;
    if (network_) {
      for (const auto& parameter : network_->layers->named_parameters()) {
        file.tensors[kModelPrefix + parameter.key()] = models::BytesOf(parameter.value(), kept);
      }
      optimizer_->Save(kOptimizerPrefix, file, kept);
      file.metadata[kInputShape] = fmt::format("{}", fmt::join(network_->input_shape, ","));
    }
    file.tensors[kGenerator] = models::BytesOf(GeneratorOf(torch::kCPU).get_state(), kept);
    if (!setup_.device.is_cpu()) {
      file.tensors[kDeviceGenerator] =
          models::BytesOf(GeneratorOf(setup_.device).get_state(), kept);
    }
    const TrainingCounters& c = counters_;
    const std::vector<int64_t> integers = {c.batches,     c.samples,        c.num_skipped,
                                           c.num_steps,   c.num_not_finite, c.num_not_finite_in_row,
                                           c.loss_samples};
    const std::vector<double> numbers = {c.loss_sum, c.last_epoch_loss};
    file.tensors[kIntegers] = models::BytesOf(torch::tensor(integers, torch::kInt64), kept);
    file.tensors[kNumbers] = models::BytesOf(torch::tensor(numbers, torch::kFloat64), kept);
    file.metadata[kThreads] = std::to_string(models::NumThreads(setup_.training, setup_.model));
    return models::WriteTensorFile(file);
  });
}

absl::Status TrainingLoop::Restore(std::string_view checkpoint) {
  ASSIGN_OR_RETURN(const models::TensorFile file, models::ReadTensorFile(checkpoint));
  const auto threads = file.metadata.find(kThreads);
  if (threads == file.metadata.end() ||
      threads->second != std::to_string(models::NumThreads(setup_.training, setup_.model))) {
    return FailedPrecondition("the checkpoint was made with another number of threads");
  }
  return models::Guard("restoring a checkpoint", [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const torch::Tensor integers, Find(file, kIntegers));
    ASSIGN_OR_RETURN(const torch::Tensor numbers, Find(file, kNumbers));
    if (integers.numel() != 7 || numbers.numel() != 2) return DataLoss("counters do not fit");
    const auto* const i = integers.data_ptr<int64_t>();
    const auto* const n = numbers.data_ptr<double>();
    counters_ = {.batches = i[0],
                 .samples = i[1],
                 .num_skipped = i[2],
                 .num_steps = i[3],
                 .num_not_finite = i[4],
                 .num_not_finite_in_row = i[5],
                 .loss_sum = n[0],
                 .loss_samples = i[6],
                 .last_epoch_loss = n[1]};
    if (file.metadata.contains(kInputShape)) {
      ASSIGN_OR_RETURN(const std::vector<int64_t> shape, models::InputShapeOf(checkpoint));
      ASSIGN_OR_RETURN(models::Network network, models::MakeNetwork(setup_.model, shape));
      RETURN_IF_ERROR(models::LoadParameters(file, kModelPrefix, network));
      RETURN_IF_ERROR(Begin(std::move(network)));
      RETURN_IF_ERROR(optimizer_->Load(kOptimizerPrefix, file));
    }
    ASSIGN_OR_RETURN(const torch::Tensor generator, Find(file, kGenerator));
    GeneratorOf(torch::kCPU).set_state(generator);
    if (!setup_.device.is_cpu()) {
      ASSIGN_OR_RETURN(const torch::Tensor on_device, Find(file, kDeviceGenerator));
      GeneratorOf(setup_.device).set_state(on_device);
    }
    return absl::OkStatus();
  });
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
