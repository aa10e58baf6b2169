#include "prepared/prepared_config.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/digest.h"
#include "base/files.h"

namespace tidemill::prepared {

HostStoreOptions OptionsOf(const PreparedConfig& config, const std::string& state_folder) {
  std::string folder =
      config.folder.empty() ? files::Join(state_folder, "prepared") : config.folder;
  // Stacks that name it in several ways share the memory beside it, too.
  std::error_code unknown;
  if (const auto path = std::filesystem::weakly_canonical(folder, unknown); !unknown) {
    folder = path.string();
  }
  return {.memory_folder = fmt::format("/dev/shm/tidemill-{}-{}/prepared", geteuid(),
                                       Sha256(folder).substr(0, 12)),
          .memory_bytes = config.memory.bytes,
          .disk_folder = folder,
          .disk_bytes = config.disk.bytes,
          .keep_unused = config.keep_unused};
}

}  // namespace tidemill::prepared
