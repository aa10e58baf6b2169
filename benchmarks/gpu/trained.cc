#include "benchmarks/gpu/trained.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "models/network.h"
#include "models/torch/guard.h"
#include "models/torch/safetensors.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::gpu {
namespace {

using trainer_server::TrainingLoop;

constexpr int64_t kScoredBatches = 4;

absl::StatusOr<double> AccuracyOf(TrainingLoop& loop, Images images) {
  images.delay = std::chrono::microseconds(0);
  images.samples = std::min(images.samples, kScoredBatches * images.batch_size);
  images.epochs = 1;
  ASSIGN_OR_RETURN(const auto source, MadeBatches::Make(images));
  int64_t right = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto batch, source->Next());
    if (!batch) return static_cast<double>(right) / static_cast<double>(images.samples);
    ASSIGN_OR_RETURN(const auto answers, loop.Ask(*batch, /*embed=*/false));
    right += answers.output.argmax(1).eq(answers.target).sum().template item<int64_t>();
  }
}

}  // namespace

absl::StatusOr<Trained> Train(const models::ModelSpec& model, models::TrainingSpec training,
                              Images images, const torch::Device& device) {
  training.epochs = images.epochs;
  training.batch_size = images.batch_size;
  images.pinned = !device.is_cpu();
  ASSIGN_OR_RETURN(const auto source, MadeBatches::Make(images));
  TrainingLoop loop(
      {.model = model, .training = std::move(training), .trigger = 1, .device = device});
  // The first step loads libraries: it is not counted.
  std::chrono::steady_clock::time_point begin;
  int64_t before = 0;
  double waited_before = 0;
  const auto count = [&](TrainingLoop& running) {
    if (before > 0) return absl::OkStatus();
    begin = std::chrono::steady_clock::now();
    before = running.counters().samples;
    waited_before = running.wait_seconds();
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(loop.Run(*source, count));
  Trained trained;
  // Reading the weights waits for the device.
  ASSIGN_OR_RETURN(trained.weights, loop.Weights());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  trained.seconds = taken.count();
  trained.samples = loop.counters().samples - before;
  trained.loss = loop.counters().loss();
  trained.wait_seconds = loop.wait_seconds() - waited_before;
  trained.idle_seconds = loop.device_idle_seconds();
  trained.copy_seconds = loop.copy_seconds();
  return models::Guard("scoring", [&]() -> absl::StatusOr<Trained> {
    ASSIGN_OR_RETURN(trained.accuracy, AccuracyOf(loop, images));
    return trained;
  });
}

absl::StatusOr<double> DifferenceOf(const std::string& a, const std::string& b) {
  ASSIGN_OR_RETURN(const models::TensorFile one, models::ReadTensorFile(a));
  ASSIGN_OR_RETURN(const models::TensorFile other, models::ReadTensorFile(b));
  return models::Guard("comparing", [&]() -> absl::StatusOr<double> {
    double difference = 0;
    double largest = 0;
    for (const auto& [name, bytes] : one.tensors) {
      ASSIGN_OR_RETURN(const torch::Tensor left, models::TensorOf(bytes));
      if (!left.is_floating_point()) continue;
      ASSIGN_OR_RETURN(const torch::Tensor right, models::TensorOf(other.tensors.at(name)));
      difference = std::max(difference, (left - right).abs().max().item<double>());
      largest = std::max(largest, left.abs().max().item<double>());
    }
    return largest > 0 ? difference / largest : 0;
  });
}

}  // namespace tidemill::gpu
