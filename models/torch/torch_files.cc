#include "models/torch/torch_files.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "torch/torch.h"

namespace tidemill::models {

namespace {

// The folder of libtorch; empty when it is not known.
std::string TorchFolder() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&at::get_num_threads), &found) == 0) return "";
  const std::string library = found.dli_fname;
  return library.substr(0, library.rfind('/'));
}

}  // namespace

std::vector<std::string> TorchFiles() {
  std::vector<std::string> files = {"/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system"};
  if (const std::string folder = TorchFolder(); !folder.empty()) files.push_back(folder);
  return files;
}

std::vector<std::string> GpuFiles() {
  std::vector<std::string> files = {
      "/proc/driver/nvidia", "/proc/self",   "/proc/devices",      "/proc/modules",
      "/sys/bus/pci",        "/sys/devices", "/sys/module/nvidia", "/sys/module/nvidia_uvm",
      "/etc/nvidia"};
  // Wheels have the libraries of CUDA beside torch: site-packages/nvidia.
  if (const std::string folder = TorchFolder(); !folder.empty()) {
    files.push_back(folder + "/../../nvidia");
  }
  return files;
}

std::vector<std::string> GpuDevices() {
  std::vector<std::string> devices;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    if (entry.path().filename().string().starts_with("nvidia")) devices.push_back(entry.path());
  }
  return devices;
}

}  // namespace tidemill::models
