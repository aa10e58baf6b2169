// The GPUs that NVIDIA's driver knows, through its own library (NVML).
#pragma once

#include <string>

#include "devices/devices.h"

namespace tidemill::devices {

inline constexpr char kNvmlLibrary[] = "libnvidia-ml.so.1";

// Asks the driver. `visible` is the value of CUDA_VISIBLE_DEVICES, or nullptr without one: numbers,
// or beginnings of ids, up to the first that names no GPU, as CUDA reads it. A GPU that is divided
// (MIG) counts as its parts. Without a driver there is no GPU, and why_none() says what is missing.
std::unique_ptr<Devices> AskNvml(const std::string& library, const char* visible);

}  // namespace tidemill::devices
