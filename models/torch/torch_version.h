// The differences between libtorch 1.13 and 2.x.
#pragma once

#include "torch/torch.h"
#include "torch/version.h"

#include "ATen/autocast_mode.h"

namespace tidemill::models {

// The key of a parameter in torch::optim::Optimizer::state().
inline auto OptimizerStateKey(const torch::Tensor& parameter) {
#if TORCH_VERSION_MAJOR >= 2
  return static_cast<void*>(parameter.unsafeGetTensorImpl());
#else
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
#endif
}

// While it lives, the device computes in a type of 16 bits where that is precise enough.
// Thread-bound.
class ShortNumbersScope {
 public:
  ShortNumbersScope(torch::Device device, torch::ScalarType type)
      : device_(device.type()), type_(type) {
    Set(true);
  }
  ~ShortNumbersScope() {
    at::autocast::clear_cache();
    Set(false);
  }
  ShortNumbersScope(const ShortNumbersScope&) = delete;
  ShortNumbersScope& operator=(const ShortNumbersScope&) = delete;

 private:
  void Set(bool on) const {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_dtype(device_, type_);
    at::autocast::set_autocast_enabled(device_, on);
#else
    if (device_ == torch::kCUDA) {
      at::autocast::set_autocast_gpu_dtype(type_);
      at::autocast::set_enabled(on);
    } else {
      at::autocast::set_autocast_cpu_dtype(type_);
      at::autocast::set_cpu_enabled(on);
    }
#endif
  }

  const torch::DeviceType device_;
  const torch::ScalarType type_;
};

}  // namespace tidemill::models
