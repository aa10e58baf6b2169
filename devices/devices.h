// The GPUs of this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::devices {

// Pretends GPUs, for tests of whole programs: "4x80GiB" are four with 80 GiB each,
// whose jobs compute on the processors (see pretended_devices.h). Read by every server of a stack.
inline constexpr char kPretendedVariable[] = "TIDEMILL_PRETENDED_DEVICES";

struct Gpu {
  // Its number for people: `cuda:1`.
  int index = 0;
  // The driver's own name for it: "GPU-5f2e...". Two processes that see this id see one device.
  std::string id;
  std::string name;
  int64_t memory_bytes = 0;
  bool is_pretended = false;
};

// The use of a GPU at this moment, by any process.
struct GpuUse {
  int64_t used_bytes = 0;
  // The share of the time that it computed lately, 0 to 1. Absent if the driver does not say.
  std::optional<double> busy_share = std::nullopt;
};

// A list of GPUs that was made once: one that is added later is found by the next process.
// Thread-safe.
class Devices {
 public:
  virtual ~Devices() = default;

  // In the order of their numbers, which are those of CUDA_VISIBLE_DEVICES if that is set, else
  // those of the driver.
  const std::vector<Gpu>& gpus() const { return gpus_; }
  // Why there is none. Empty if there is one.
  const std::string& why_none() const { return why_none_; }

  // UNAVAILABLE when the driver does not answer, as for a GPU that has failed.
  virtual absl::StatusOr<GpuUse> UseOf(const Gpu& gpu) const = 0;

 protected:
  Devices(std::vector<Gpu> gpus, std::string why_none)
      : gpus_(std::move(gpus)), why_none_(std::move(why_none)) {}

 private:
  const std::vector<Gpu> gpus_;
  const std::string why_none_;
};

// Returns the pretended devices where kPretendedVariable is set, else those of NVIDIA's driver.
// INVALID_ARGUMENT when the variable cannot be read. A machine without a driver has no GPU, and
// neither has a program that was built with a libtorch without CUDA: why_none() says so.
absl::StatusOr<std::unique_ptr<Devices>> FindDevices();

// Returns "cuda:0 (NVIDIA H200, 139.8 GiB), cuda:1 (...)", or "no GPU: " with the reason.
std::string Describe(const Devices& devices);

}  // namespace tidemill::devices
