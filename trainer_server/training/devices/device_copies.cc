#include "trainer_server/training/devices/device_copies.h"

#include <utility>

#include "c10/core/StreamGuard.h"
#include "c10/core/impl/VirtualGuardImpl.h"

namespace tidemill::trainer_server {

torch::Tensor DeviceCopies::Start(const torch::Tensor& tensor) {
  if (device_.is_cpu()) return tensor.to(device_);
  if (!stream_) {
    stream_ = c10::impl::VirtualGuardImpl(device_.type()).getStreamFromGlobalPool(device_);
  }
  const c10::Stream computing = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  const c10::StreamGuard copying(*stream_);
  if (!times_.is_measured()) {
    torch::Tensor there = tensor.to(device_, /*non_blocking=*/true);
    there.record_stream(computing);
    return there;
  }
  c10::Event begin = times_.Mark();
  torch::Tensor there = tensor.to(device_, /*non_blocking=*/true);
  times_.Add(std::move(begin), times_.Mark());
  // The allocator must not give the memory to another copy before the work on it is done.
  there.record_stream(computing);
  return there;
}

void DeviceCopies::Join() {
  if (!stream_) return;
  c10::Event copied(device_.type());
  copied.record(*stream_);
  copied.block(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

}  // namespace tidemill::trainer_server
