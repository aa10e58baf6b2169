#include "devices/devices.h"

#include <cstdlib>

#include "absl/strings/str_join.h"

#include "devices/nvml_devices.h"
#include "devices/pretended_devices.h"

namespace tidemill::devices {
namespace {

#ifdef TIDEMILL_TORCH_HAS_CUDA
constexpr bool kTorchHasCuda = true;
#else
constexpr bool kTorchHasCuda = false;
#endif

// The GPUs of a machine, for a build that cannot use any.
class NoDevices final : public Devices {
 public:
  explicit NoDevices(std::string why_none) : Devices({}, std::move(why_none)) {}

  absl::StatusOr<GpuUse> UseOf(const Gpu& gpu) const override {
    return Unavailable("cuda:{} is not there: {}", gpu.index, why_none());
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Devices>> FindDevices() {
  if (const char* const pretended = std::getenv(kPretendedVariable)) {
    return PretendDevices(pretended);
  }
  std::unique_ptr<Devices> devices = AskNvml(kNvmlLibrary, std::getenv("CUDA_VISIBLE_DEVICES"));
  if (devices->gpus().empty() || kTorchHasCuda) return devices;
  return std::make_unique<NoDevices>(
      fmt::format("this Tidemill was built with a libtorch without CUDA, and cannot use {}",
                  Describe(*devices)));
}

std::string Describe(const Devices& devices) {
  if (devices.gpus().empty()) return "no GPU: " + devices.why_none();
  std::vector<std::string> texts;
  for (const Gpu& gpu : devices.gpus()) {
    constexpr double kGiB = 1 << 30;
    texts.push_back(fmt::format("cuda:{} ({}, {:.4g} GiB)", gpu.index, gpu.name,
                                static_cast<double>(gpu.memory_bytes) / kGiB));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace tidemill::devices
