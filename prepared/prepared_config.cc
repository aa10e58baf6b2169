#include "prepared/prepared_config.h"

#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"

namespace tidemill::prepared {

HostStoreOptions OptionsOf(const PreparedConfig& config, const std::string& state_folder) {
  const std::string folder =
      config.folder.empty() ? files::Join(state_folder, "prepared") : config.folder;
  return {.memory_folder = fmt::format("/dev/shm/tidemill-{}-{}/prepared", geteuid(),
                                       Sha256(folder).substr(0, 12)),
          .memory_bytes = config.memory.bytes,
          .disk_folder = folder,
          .disk_bytes = config.disk.bytes,
          .keep_unused = config.keep_unused};
}

}  // namespace tidemill::prepared
