#include "trainer_server/training/devices/device_times.h"

#include <utility>

#include "c10/core/impl/VirtualGuardImpl.h"

namespace tidemill::trainer_server {

c10::Event DeviceTimes::Mark() const {
  c10::Event event(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return event;
}

void DeviceTimes::Add(c10::Event from, c10::Event to) {
  pending_.push_back({std::move(from), std::move(to)});
  seconds();  // So that the list holds only what the device has not passed yet.
}

double DeviceTimes::seconds() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  constexpr double kMillis = 1e-3;
  while (!pending_.empty() && pending_.front().to.query()) {
    seconds_ += kMillis * pending_.front().from.elapsedTime(pending_.front().to);
    pending_.pop_front();
  }
#endif
  return seconds_;
}

void DeviceIdle::StepBegins() {
  if (last_end_.empty()) return;
  times_.Add(std::move(last_end_.front()), times_.Mark());
  last_end_.clear();
}

void DeviceIdle::StepEnds() {
  if (!times_.is_measured()) return;
  last_end_.clear();
  last_end_.push_back(times_.Mark());
}

}  // namespace tidemill::trainer_server
