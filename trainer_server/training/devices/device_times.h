// Times on a device's own clock.
#pragma once

#include <deque>

#include "torch/torch.h"

#include "c10/core/Event.h"

namespace tidemill::trainer_server {

// Whether this libtorch can wait for an event of any device, and measure the time between two.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
inline constexpr bool kHasDeviceEvents = true;
#else
inline constexpr bool kHasDeviceEvents = false;
#endif

// Adds up the times between pairs of events. They are read once the device has passed both, which
// costs no wait: a sum lacks what the device has not reached. Thread-compatible. Does nothing on
// processors. Methods throw what libtorch throws.
class DeviceTimes {
 public:
  explicit DeviceTimes(torch::Device device)
      : device_(device), is_measured_(kHasDeviceEvents && !device.is_cpu()) {}

  // An event in the order of the work that was given to the device's current stream.
  c10::Event Mark() const;
  void Add(c10::Event from, c10::Event to);

  bool is_measured() const { return is_measured_; }
  double seconds();

 private:
  struct Pair {
    c10::Event from;
    c10::Event to;
  };

  const torch::Device device_;
  const bool is_measured_;
  std::deque<Pair> pending_;  // In the order in which the device passes them.
  double seconds_ = 0;
};

// Measures for how long a device had nothing to do between one step and the next: then it waited
// for the batch, or for the processors. Thread-compatible. Methods throw what libtorch throws.
class DeviceIdle {
 public:
  explicit DeviceIdle(torch::Device device) : times_(device) {}

  // Call it before the first work of a step is given to the device, and after the last.
  void StepBegins();
  void StepEnds();

  bool is_measured() const { return times_.is_measured(); }
  double seconds() { return times_.seconds(); }

 private:
  DeviceTimes times_;
  std::deque<c10::Event> last_end_;  // At most one.
};

}  // namespace tidemill::trainer_server
