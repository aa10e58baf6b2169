#include "models/torch_files.h"

#include <dlfcn.h>

#include "torch/torch.h"

namespace tidemill::models {

std::vector<std::string> TorchFiles() {
  std::vector<std::string> files = {"/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system"};
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&at::get_num_threads), &found) == 0) return files;
  const std::string library = found.dli_fname;
  files.push_back(library.substr(0, library.rfind('/')));
  return files;
}

}  // namespace tidemill::models
