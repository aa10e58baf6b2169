#include "trainer_server/training/training_checkpoint.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ATen/Context.h"
#include "base/digest.h"
#include "models/torch/guard.h"

// A checkpoint is a safetensors file:
//
//   model.<name>         weights and buffers       | these three once there is a network, which is
//   optimizer.<name>     its moments and steps     | made with the first batch
//   best.<name>          early stopping's best     |
//   average.<name>       the average of the weights, with training.average, once there is a step
//   generator.cpu        torch's generators: dropout and
//   generator.device       random ops resume where they were; the second on a GPU only
//   counters.integers    TrainingCounters and StoppingState, in the order of SaveCounters()
//   counters.numbers
//   curve.integers       the loss curve: 4 numbers, then 2 for each point
//   curve.numbers
//   plateaus             6 numbers for each optimiser whose schedule watches losses
//   loss_scale           the factor and its good steps; for float16 only
//   companion.numbers    what the source of batches keeps here
//   companion.losses     the last loss of each ordinal, when a method looks at it
//
// and as metadata `start_from`, what the network began with, and `num_threads` and
// `program_sha256`, with which a resumed training must agree: it would end with other weights.

namespace tidemill::trainer_server {
namespace {

constexpr char kModelPrefix[] = "model.";
constexpr char kOptimizerPrefix[] = "optimizer.";
constexpr char kBestPrefix[] = "best.";
constexpr char kGenerator[] = "generator.cpu";
constexpr char kDeviceGenerator[] = "generator.device";
constexpr char kIntegers[] = "counters.integers";
constexpr char kNumbers[] = "counters.numbers";
constexpr char kCurveIntegers[] = "curve.integers";
constexpr char kCurveNumbers[] = "curve.numbers";
constexpr char kCompanionNumbers[] = "companion.numbers";
constexpr char kCompanionLosses[] = "companion.losses";
constexpr char kAveragePrefix[] = "average.";
constexpr char kPlateaus[] = "plateaus";
constexpr char kLossScale[] = "loss_scale";
constexpr char kStartNote[] = "start_from";
constexpr char kThreads[] = "num_threads";
constexpr char kProgram[] = "program_sha256";

constexpr int64_t kNumIntegers = 17;
// Before 0.9 what graphs filter was not counted.
constexpr int64_t kNumIntegersWithoutFilters = 15;
// Versions before 0.8 did not count the samples skipped by epoch.
constexpr int64_t kNumOldIntegers = 13;
constexpr int64_t kNumNumbers = 3;
// The curve's arrays hold this many numbers before the points, then two for each point.
constexpr int64_t kCurveHead = 4;

constexpr size_t kPlateauNumbers = 6;

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

torch::Generator GeneratorOf(torch::Device device) {
  return at::globalContext().defaultGenerator(device);
}

torch::Tensor TensorOf(const std::vector<int64_t>& integers) {
  return torch::tensor(integers, torch::kInt64);
}
torch::Tensor TensorOf(const std::vector<double>& numbers) {
  return torch::tensor(numbers, torch::kFloat64);
}

template <typename T>
absl::StatusOr<std::vector<T>> Find(const models::TensorFile& file, const char* name) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) return DataLoss("the checkpoint has no {}", name);
  ASSIGN_OR_RETURN(const torch::Tensor tensor, models::TensorOf(it->second));
  if (tensor.scalar_type() != c10::CppTypeToScalarType<T>::value) {
    return DataLoss("{} has another type", name);
  }
  return std::vector<T>(tensor.data_ptr<T>(), tensor.data_ptr<T>() + tensor.numel());
}

absl::Status SetGenerator(torch::Device device, const models::TensorFile& file, const char* name) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) return DataLoss("the checkpoint has no {}", name);
  ASSIGN_OR_RETURN(const torch::Tensor state, models::TensorOf(it->second));
  GeneratorOf(device).set_state(state);
  return absl::OkStatus();
}

void SaveCurve(const LossCurve::State& state, models::TensorFile& file,
               std::vector<torch::Tensor>& kept) {
  std::vector<int64_t> integers = {state.stride, state.num_batches, state.num_trained,
                                   state.num_samples};
  std::vector<double> numbers = {state.loss_sum, 0, 0, 0};
  for (const LossCurve::Point& point : state.points) {
    integers.insert(integers.end(), {point.num_samples, point.num_trained});
    numbers.insert(numbers.end(), {point.loss, point.validation_loss.value_or(kNoLoss)});
  }
  file.tensors[kCurveIntegers] = models::BytesOf(TensorOf(integers), kept);
  file.tensors[kCurveNumbers] = models::BytesOf(TensorOf(numbers), kept);
}

absl::StatusOr<LossCurve> LoadCurve(const models::TensorFile& file) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> integers, Find<int64_t>(file, kCurveIntegers));
  ASSIGN_OR_RETURN(const std::vector<double> numbers, Find<double>(file, kCurveNumbers));
  if (integers.size() != numbers.size() || integers.size() < kCurveHead ||
      integers.size() % 2 != 0) {
    return DataLoss("the loss curve of the checkpoint does not fit");
  }
  LossCurve::State state{.stride = integers[0],
                         .num_batches = integers[1],
                         .num_trained = integers[2],
                         .num_samples = integers[3],
                         .loss_sum = numbers[0]};
  for (size_t i = kCurveHead; i < integers.size(); i += 2) {
    LossCurve::Point point{integers[i], numbers[i], integers[i + 1]};
    if (numbers[i + 1] == numbers[i + 1]) point.validation_loss = numbers[i + 1];
    state.points.push_back(point);
  }
  return LossCurve(std::move(state));
}

void SaveCounters(const TrainingState& state, models::TensorFile& file,
                  std::vector<torch::Tensor>& kept) {
  const TrainingCounters& c = state.counters;
  const std::vector<int64_t> integers = {c.batches,
                                         c.samples,
                                         c.num_skipped,
                                         c.num_steps,
                                         c.num_not_finite,
                                         c.num_not_finite_in_row,
                                         c.loss_samples,
                                         state.stopping.num_worse,
                                         state.stopping.stopped ? 1 : 0,
                                         c.epoch,
                                         c.epoch_batches,
                                         c.steps_before_epoch,
                                         c.samples_before_epoch,
                                         c.skipped_before_epoch,
                                         c.most_skipped,
                                         c.filtered_in_epoch,
                                         c.most_filtered};
  const std::vector<double> numbers = {c.loss_sum, c.last_epoch_loss, state.stopping.best};
  file.tensors[kIntegers] = models::BytesOf(TensorOf(integers), kept);
  file.tensors[kNumbers] = models::BytesOf(TensorOf(numbers), kept);
}

absl::Status LoadCounters(const models::TensorFile& file, TrainingState& state) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> i, Find<int64_t>(file, kIntegers));
  ASSIGN_OR_RETURN(const std::vector<double> n, Find<double>(file, kNumbers));
  const bool is_old = i.size() == kNumOldIntegers;
  const bool filters = i.size() == kNumIntegers;
  if ((!is_old && !filters && i.size() != kNumIntegersWithoutFilters) || n.size() != kNumNumbers) {
    return DataLoss("the counters of the checkpoint do not fit");
  }
  state.counters = {.batches = i[0],
                    .samples = i[1],
                    .num_skipped = i[2],
                    .skipped_before_epoch = is_old ? 0 : i[13],
                    .most_skipped = is_old ? 0 : i[14],
                    .filtered_in_epoch = filters ? i[15] : 0,
                    .most_filtered = filters ? i[16] : 0,
                    .num_steps = i[3],
                    .num_not_finite = i[4],
                    .num_not_finite_in_row = i[5],
                    .epoch = i[9],
                    .epoch_batches = i[10],
                    .steps_before_epoch = i[11],
                    .samples_before_epoch = i[12],
                    .loss_sum = n[0],
                    .loss_samples = i[6],
                    .last_epoch_loss = n[1]};
  state.stopping = {.best = n[2], .num_worse = i[7], .stopped = i[8] != 0};
  return absl::OkStatus();
}

absl::Status LoadLossScale(const models::TensorFile& file, TrainingState& state) {
  ASSIGN_OR_RETURN(const std::vector<double> numbers, Find<double>(file, kLossScale));
  if (numbers.size() != 2) return DataLoss("the loss scale of the checkpoint does not fit");
  state.loss_scale = {.factor = numbers[0], .good_steps = static_cast<int64_t>(numbers[1])};
  return absl::OkStatus();
}

void SavePlateaus(const PlateauStates& states, models::TensorFile& file,
                  std::vector<torch::Tensor>& kept) {
  if (std::ranges::all_of(states, [](const PlateauState& one) { return one == PlateauState(); })) {
    return;
  }
  std::vector<double> numbers;
  for (const PlateauState& one : states) {
    numbers.insert(numbers.end(), {one.best, one.factor, static_cast<double>(one.num_worse),
                                   static_cast<double>(one.num_resting), one.loss_sum,
                                   static_cast<double>(one.num_samples)});
  }
  file.tensors[kPlateaus] = models::BytesOf(TensorOf(numbers), kept);
}

absl::Status LoadPlateaus(const models::TensorFile& file, TrainingState& state) {
  if (!file.tensors.contains(kPlateaus)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<double> n, Find<double>(file, kPlateaus));
  if (n.size() != state.plateaus.size() * kPlateauNumbers) {
    return DataLoss("the plateaus of the checkpoint do not fit");
  }
  for (size_t i = 0; i < state.plateaus.size(); ++i) {
    const double* const one = n.data() + i * kPlateauNumbers;
    state.plateaus[i] = {.best = one[0],
                         .factor = one[1],
                         .num_worse = static_cast<int64_t>(one[2]),
                         .num_resting = static_cast<int64_t>(one[3]),
                         .loss_sum = one[4],
                         .num_samples = static_cast<int64_t>(one[5])};
  }
  return absl::OkStatus();
}

// Adds the arrays of a network's state that are kept beside it; they may be none.
void SaveArrays(const std::vector<torch::Tensor>& arrays, const std::string& prefix,
                const Learner& learner, models::TensorFile& file,
                std::vector<torch::Tensor>& kept) {
  if (arrays.empty()) return;
  const auto state = models::StateOf(learner.network());
  for (size_t i = 0; i < arrays.size(); ++i) {
    file.tensors[prefix + state[i].first] = models::BytesOf(arrays[i], kept);
  }
}

// Reads them through the network, which has other values afterwards.
absl::StatusOr<std::vector<torch::Tensor>> LoadArrays(const models::TensorFile& file,
                                                      const std::string& prefix,
                                                      torch::Device device,
                                                      const models::Network& network) {
  RETURN_IF_ERROR(models::LoadState(file, prefix, network));
  std::vector<torch::Tensor> arrays;
  for (const auto& [name, tensor] : models::StateOf(network)) {
    arrays.push_back(tensor.detach().to(device, tensor.scalar_type(), false, true));
  }
  return arrays;
}

models::TensorFile Encode(const TrainingSetup& setup, const TrainingState& state, Learner& learner,
                          std::vector<torch::Tensor>& kept) {
  models::TensorFile file;
  if (learner.has_network()) {
    models::SaveState(learner.network(), kModelPrefix, file, kept);
    learner.optimizer().Save(kOptimizerPrefix, file, kept);
    models::WriteInputs(learner.network().inputs, file);
    if (!learner.start_note().empty()) file.metadata[kStartNote] = learner.start_note();
    file.metadata[kProgram] = Sha256(learner.network().module->program());
  }
  SaveArrays(state.best, kBestPrefix, learner, file, kept);
  SaveArrays(state.average, kAveragePrefix, learner, file, kept);
  file.tensors[kGenerator] = models::BytesOf(GeneratorOf(torch::kCPU).get_state(), kept);
  if (!setup.device.is_cpu()) {
    file.tensors[kDeviceGenerator] = models::BytesOf(GeneratorOf(setup.device).get_state(), kept);
  }
  SaveCounters(state, file, kept);
  SaveCurve(state.curve.state(), file, kept);
  SavePlateaus(state.plateaus, file, kept);
  if (setup.training.precision == models::Precision::kFloat16) {
    const std::vector<double> numbers = {state.loss_scale.factor,
                                         static_cast<double>(state.loss_scale.good_steps)};
    file.tensors[kLossScale] = models::BytesOf(TensorOf(numbers), kept);
  }
  file.tensors[kCompanionNumbers] = models::BytesOf(TensorOf(state.companion.numbers), kept);
  file.tensors[kCompanionLosses] = models::BytesOf(torch::tensor(state.companion.losses), kept);
  file.metadata[kThreads] = std::to_string(models::NumThreads(setup.training, setup.model));
  return file;
}

absl::Status Decode(const models::TensorFile& file, const TrainingSetup& setup,
                    TrainingState& state, Learner& learner) {
  RETURN_IF_ERROR(LoadCounters(file, state));
  ASSIGN_OR_RETURN(state.curve, LoadCurve(file));
  RETURN_IF_ERROR(LoadPlateaus(file, state));
  if (setup.training.precision == models::Precision::kFloat16) {
    RETURN_IF_ERROR(LoadLossScale(file, state));
  }
  ASSIGN_OR_RETURN(state.companion.numbers, Find<double>(file, kCompanionNumbers));
  ASSIGN_OR_RETURN(state.companion.losses, Find<float>(file, kCompanionLosses));
  if (std::ssize(state.companion.losses) != setup.num_losses) {
    return DataLoss("the losses of the checkpoint do not fit");
  }
  if (file.metadata.contains(kProgram)) {
    ASSIGN_OR_RETURN(const models::InputSpecs inputs, models::ReadInputs(file));
    ASSIGN_OR_RETURN(models::Network network, models::MakeNetwork(setup.model, inputs));
    if (file.metadata.at(kProgram) != Sha256(network.module->program())) {
      return FailedPrecondition("the checkpoint was made with another TorchScript file");
    }
    RETURN_IF_ERROR(learner.AddLowRank(network));
    if (setup.training.early_stopping &&
        state.stopping.best < std::numeric_limits<double>::infinity()) {
      ASSIGN_OR_RETURN(state.best, LoadArrays(file, kBestPrefix, setup.device, network));
    }
    if (setup.training.average && state.counters.num_steps > 0) {
      ASSIGN_OR_RETURN(state.average, LoadArrays(file, kAveragePrefix, setup.device, network));
    }
    RETURN_IF_ERROR(models::LoadState(file, kModelPrefix, network));
    RETURN_IF_ERROR(learner.Begin(std::move(network)));
    if (const auto note = file.metadata.find(kStartNote); note != file.metadata.end()) {
      learner.set_start_note(note->second);
    }
    RETURN_IF_ERROR(learner.optimizer().Load(kOptimizerPrefix, file));
  }
  RETURN_IF_ERROR(SetGenerator(torch::kCPU, file, kGenerator));
  // A training that continues on a GPU and began on processors draws other numbers there.
  const bool has_state = file.tensors.contains(kDeviceGenerator);
  return setup.device.is_cpu() || !has_state ? absl::OkStatus()
                                             : SetGenerator(setup.device, file, kDeviceGenerator);
}

}  // namespace

absl::StatusOr<std::string> WriteCheckpoint(const TrainingSetup& setup, const TrainingState& state,
                                            Learner& learner) {
  return models::Guard("writing a checkpoint", [&]() -> absl::StatusOr<std::string> {
    std::vector<torch::Tensor> kept;
    return models::WriteTensorFile(Encode(setup, state, learner, kept));
  });
}

absl::Status ReadCheckpoint(std::string_view checkpoint, const TrainingSetup& setup,
                            TrainingState& state, Learner& learner) {
  ASSIGN_OR_RETURN(const models::TensorFile file, models::ReadTensorFile(checkpoint));
  const auto threads = file.metadata.find(kThreads);
  if (threads == file.metadata.end() ||
      threads->second != std::to_string(models::NumThreads(setup.training, setup.model))) {
    return FailedPrecondition("the checkpoint was made with another number of threads");
  }
  return models::Guard("restoring a checkpoint",
                       [&] { return Decode(file, setup, state, learner); });
}

}  // namespace tidemill::trainer_server
