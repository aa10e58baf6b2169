#include "devices/nvml_devices.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/files.h"

namespace tidemill::devices {
namespace {

// The part of nvml.h that is used; its functions and structs never change under their names.
using Result = int;
using Handle = void*;
constexpr Result kSuccess = 0;
constexpr unsigned kNameBytes = 96;
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};

// The library, which stays loaded: the driver keeps threads of it.
class Nvml {
 public:
  // Returns the reason when it cannot be used.
  std::string Open(const std::string& library) {
    void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) {
      const char* const error = dlerror();
      return error == nullptr ? "the library cannot be loaded" : error;
    }
    bool complete = true;
    const auto find = [&](auto& function, const char* symbol, bool is_needed = true) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(loaded, symbol));
      complete &= function != nullptr || !is_needed;
    };
    find(init, "nvmlInit_v2");
    find(error_string, "nvmlErrorString");
    find(count, "nvmlDeviceGetCount_v2");
    find(by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(name, "nvmlDeviceGetName");
    find(uuid, "nvmlDeviceGetUUID");
    find(memory, "nvmlDeviceGetMemoryInfo");
    find(utilization, "nvmlDeviceGetUtilizationRates");
    find(mig_count, "nvmlDeviceGetMaxMigDeviceCount", /*is_needed=*/false);
    find(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex", /*is_needed=*/false);
    find(by_uuid, "nvmlDeviceGetHandleByUUID");
    if (!complete) return "it lacks a function that Tidemill calls; the driver is too old";
    const Result started = init();
    return started == kSuccess ? "" : error_string(started);
  }

  Result (*init)() = nullptr;
  const char* (*error_string)(Result) = nullptr;
  Result (*count)(unsigned*) = nullptr;
  Result (*by_index)(unsigned, Handle*) = nullptr;
  Result (*by_uuid)(const char*, Handle*) = nullptr;
  Result (*name)(Handle, char*, unsigned) = nullptr;
  Result (*uuid)(Handle, char*, unsigned) = nullptr;
  Result (*memory)(Handle, MemoryInfo*) = nullptr;
  Result (*utilization)(Handle, Utilization*) = nullptr;
  Result (*mig_count)(Handle, unsigned*) = nullptr;
  Result (*mig_by_index)(Handle, unsigned, Handle*) = nullptr;
};

// std::nullopt for a device that does not answer.
std::optional<Gpu> DescribeGpu(const Nvml& nvml, Handle handle) {
  char name[kNameBytes] = {};
  char uuid[kNameBytes] = {};
  MemoryInfo memory{};
  if (nvml.uuid(handle, uuid, kNameBytes) != kSuccess) return std::nullopt;
  if (nvml.name(handle, name, kNameBytes) != kSuccess) return std::nullopt;
  if (nvml.memory(handle, &memory) != kSuccess) return std::nullopt;
  return Gpu{.id = uuid, .name = name, .memory_bytes = static_cast<int64_t>(memory.total)};
}

// The parts of a GPU that is divided; empty for one that is not.
std::vector<Gpu> PartsOf(const Nvml& nvml, Handle handle) {
  std::vector<Gpu> parts;
  unsigned most = 0;
  if (nvml.mig_count == nullptr || nvml.mig_by_index == nullptr) return parts;
  if (nvml.mig_count(handle, &most) != kSuccess) return parts;
  for (unsigned i = 0; i < most; ++i) {
    Handle part = nullptr;
    if (nvml.mig_by_index(handle, i, &part) != kSuccess) continue;
    if (auto gpu = DescribeGpu(nvml, part)) parts.push_back(*std::move(gpu));
  }
  return parts;
}

std::vector<Gpu> ListAll(const Nvml& nvml) {
  std::vector<Gpu> all;
  unsigned count = 0;
  if (nvml.count(&count) != kSuccess) return all;
  for (unsigned i = 0; i < count; ++i) {
    Handle handle = nullptr;
    if (nvml.by_index(i, &handle) != kSuccess) continue;
    std::vector<Gpu> parts = PartsOf(nvml, handle);
    if (parts.empty()) {
      if (auto gpu = DescribeGpu(nvml, handle)) parts.push_back(*std::move(gpu));
    }
    std::move(parts.begin(), parts.end(), std::back_inserter(all));
  }
  return all;
}

// The GPU that an entry of CUDA_VISIBLE_DEVICES names.
const Gpu* Find(const std::vector<Gpu>& all, std::string_view entry) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (error == std::errc() && end == entry.data() + entry.size()) {
    return number < all.size() ? &all[number] : nullptr;
  }
  const auto found = std::ranges::find_if(
      all, [&](const Gpu& gpu) { return !entry.empty() && gpu.id.starts_with(entry); });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Gpu> OnlyVisible(const std::vector<Gpu>& all, std::string_view visible) {
  std::vector<Gpu> seen;
  while (true) {
    const size_t comma = visible.find(',');
    const Gpu* const gpu = Find(all, visible.substr(0, comma));
    if (gpu == nullptr) return seen;
    seen.push_back(*gpu);
    if (comma == std::string_view::npos) return seen;
    visible.remove_prefix(comma + 1);
  }
}

class NvmlDevices final : public Devices {
 public:
  NvmlDevices(Nvml nvml, std::vector<Gpu> gpus, std::string why_none)
      : Devices(std::move(gpus), std::move(why_none)), nvml_(nvml) {}

  absl::StatusOr<GpuUse> UseOf(const Gpu& gpu) const override {
    Handle handle = nullptr;
    MemoryInfo memory{};
    Result result = nvml_.by_uuid(gpu.id.c_str(), &handle);
    if (result == kSuccess) result = nvml_.memory(handle, &memory);
    if (result != kSuccess) {
      return Unavailable("cuda:{} ({}): {}", gpu.index, gpu.name, nvml_.error_string(result));
    }
    GpuUse use{.used_bytes = static_cast<int64_t>(memory.used)};
    Utilization utilization{};
    if (nvml_.utilization(handle, &utilization) == kSuccess)
      use.busy_share = utilization.gpu / 100.;
    return use;
  }

 private:
  const Nvml nvml_;
};

}  // namespace

std::unique_ptr<Devices> AskNvml(const std::string& library, const char* visible) {
  Nvml nvml;
  if (const std::string problem = nvml.Open(library); !problem.empty()) {
    const std::string why =
        files::Exists("/dev/nvidiactl")
            ? fmt::format("there is a driver, but not its {}: {}", library, problem)
            : "this machine has no NVIDIA driver";
    return std::make_unique<NvmlDevices>(nvml, std::vector<Gpu>(), why);
  }
  std::vector<Gpu> gpus = ListAll(nvml);
  std::string why_none = "NVIDIA's driver lists none";
  if (visible != nullptr) {
    gpus = OnlyVisible(gpus, visible);
    why_none = fmt::format("CUDA_VISIBLE_DEVICES is '{}'", visible);
  }
  for (size_t i = 0; i < gpus.size(); ++i) gpus[i].index = static_cast<int>(i);
  return std::make_unique<NvmlDevices>(nvml, std::move(gpus), std::move(why_none));
}

}  // namespace tidemill::devices
