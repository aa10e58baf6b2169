// Copies of batches to a device, beside its work.
#pragma once

#include <optional>

#include "torch/torch.h"

#include "c10/core/Stream.h"
#include "trainer_server/training/devices/device_times.h"

namespace tidemill::trainer_server {

// Copies on a separate stream, so that the batch of the next step arrives while the device still
// computes this one. From page-locked memory (loader::PinTensors) the processor does not wait.
// Thread-compatible. Methods throw what libtorch throws.
class DeviceCopies {
 public:
  explicit DeviceCopies(torch::Device device) : device_(device), times_(device) {}

  // Returns the tensor on the device; on processors, the tensor itself. The copy has only been
  // started. Memory of the host that torch has page-locked may be given back at once.
  torch::Tensor Start(const torch::Tensor& tensor);

  // Work that is given to the device's current stream from here on finds the copies complete.
  void Join();

  // The time that copies took on the device, as far as it is known.
  double seconds() { return times_.seconds(); }

 private:
  const torch::Device device_;
  std::optional<c10::Stream> stream_;  // Made for the first copy to a GPU.
  DeviceTimes times_;
};

}  // namespace tidemill::trainer_server
