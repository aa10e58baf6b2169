// A number on its way from the device that computes it.
#pragma once

#include <memory>

#include "torch/torch.h"

namespace tidemill::trainer_server {

// Is read without waiting for anything that the device was asked for after it: a loop that reads
// the loss of a batch leaves the device busy with the batch's gradients. Thread-compatible.
class PendingNumber {
 public:
  // Begins to copy a tensor of one number. On a CPU, and with libtorch before 2.4, which cannot
  // wait for an event of any device, the number is read by Wait().
  explicit PendingNumber(const torch::Tensor& number);
  ~PendingNumber();
  PendingNumber(PendingNumber&&) noexcept;
  PendingNumber& operator=(PendingNumber&&) noexcept;

  // Returns the number once the device has computed it. Throws what libtorch throws.
  double Wait() const;

 private:
  struct Arrival;

  torch::Tensor number_;
  std::unique_ptr<Arrival> arrival_;  // nullptr where nothing has to arrive.
};

}  // namespace tidemill::trainer_server
