// A number that a device is still computing.
#pragma once

#include <memory>

#include "torch/torch.h"

namespace tidemill::trainer_server {

// Reading the number does not wait for later work of the device. A loop that reads the loss of a
// batch therefore leaves the device busy with the gradients of the batch. Thread-compatible.
class PendingNumber {
 public:
  // Starts to copy a tensor of one number. On a CPU, Wait() reads the number instead. So it does
  // with libtorch before 2.4, which cannot wait for an event of any device.
  explicit PendingNumber(const torch::Tensor& number);
  ~PendingNumber();
  PendingNumber(PendingNumber&&) noexcept;
  PendingNumber& operator=(PendingNumber&&) noexcept;

  // Returns the number once the device has computed it. Throws what libtorch throws.
  double Wait() const;

 private:
  struct Arrival;

  torch::Tensor number_;
  std::unique_ptr<Arrival> arrival_;  // nullptr when nothing has to arrive.
};

}  // namespace tidemill::trainer_server
