#include "trainer_server/training/pending_number.h"

#include "torch/version.h"

#include "c10/core/Event.h"
#include "c10/core/impl/VirtualGuardImpl.h"

namespace tidemill::trainer_server {

struct PendingNumber::Arrival {
  c10::Event event;
};

PendingNumber::PendingNumber(const torch::Tensor& number) : number_(number.detach()) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  if (number_.is_cpu()) return;
  const torch::Device device = number_.device();
  // Only memory that the system does not move can be copied to without waiting.
  torch::Tensor here =
      torch::empty(number_.sizes(), number_.options().device(torch::kCPU).pinned_memory(true));
  here.copy_(number_, /*non_blocking=*/true);
  arrival_ = std::make_unique<Arrival>(Arrival{c10::Event(device.type())});
  arrival_->event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  number_ = here;
#endif
}

PendingNumber::~PendingNumber() = default;
PendingNumber::PendingNumber(PendingNumber&&) noexcept = default;
PendingNumber& PendingNumber::operator=(PendingNumber&&) noexcept = default;

double PendingNumber::Wait() const {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  if (arrival_ != nullptr) arrival_->event.synchronize();
#endif
  return number_.item<double>();
}

}  // namespace tidemill::trainer_server
