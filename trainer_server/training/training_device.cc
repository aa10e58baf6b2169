#include "trainer_server/training/training_device.h"

#include "ATen/Context.h"
#include "ATen/Parallel.h"
#include "models/guard.h"

namespace tidemill::trainer_server {

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
    return FailedPrecondition("training.device is cuda, but libtorch finds no GPU on this machine");
  });
}

}  // namespace tidemill::trainer_server
