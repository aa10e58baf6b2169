#include "devices/pretended_devices.h"

#include <algorithm>

#include "config/numbers.h"

namespace tidemill::devices {
namespace {

constexpr size_t kMaxName = 50;

class PretendedDevices final : public Devices {
 public:
  explicit PretendedDevices(std::vector<Gpu> gpus)
      : Devices(std::move(gpus), "none is pretended") {}

  absl::StatusOr<GpuUse> UseOf(const Gpu&) const override { return GpuUse{.busy_share = 0}; }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Devices>> PretendDevices(std::string_view text) {
  const size_t at = std::min(text.find('@'), text.size());
  const std::string_view machine = text.substr(at);  // "@name", or nothing.
  const std::string_view described = text.substr(0, at);
  const size_t times = std::min(described.find('x'), described.size());
  const absl::StatusOr<int64_t> count = config::ParseCount(described.substr(0, times));
  const absl::StatusOr<config::ByteSize> memory =
      config::ParseByteSize(described.substr(std::min(times + 1, described.size())));
  if (machine.size() > kMaxName || !count.ok() || *count < 0 || *count > config::kMaxGpus ||
      !memory.ok() || memory->bytes <= 0) {
    return InvalidArgument("{} is '{}'; write a number of devices and the memory of each: 4x80GiB",
                           kPretendedVariable, text);
  }
  std::vector<Gpu> gpus;
  for (int index = 0; index < *count; ++index) {
    gpus.push_back({.index = index,
                    .id = fmt::format("pretended-{}{}", index, machine),
                    .name = "pretended",
                    .memory_bytes = memory->bytes,
                    .is_pretended = true});
  }
  return std::make_unique<PretendedDevices>(std::move(gpus));
}

}  // namespace tidemill::devices
