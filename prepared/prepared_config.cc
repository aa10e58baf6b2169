#include "prepared/prepared_config.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/digest.h"
#include "base/files.h"

namespace tidemill::prepared {

void PreparedConfig::Check(config::Problems& problems) const {
  constexpr std::string_view kScheme = "s3://";
  const bool is_url = object_store.starts_with(kScheme) && object_store.size() > kScheme.size() &&
                      object_store[kScheme.size()] != '/';
  if (!object_store.empty() && !is_url) {
    problems.Add("object_store", fmt::format("'{}' is not a folder of a store", object_store),
                 "write s3://bucket/folder");
  }
  if (object_store.empty() && object_store_bytes != PreparedConfig().object_store_bytes) {
    problems.Add("object_store_bytes", "does nothing without object_store",
                 "name a folder of a store, as in object_store: s3://bucket/folder");
  }
}

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
          .keep_unused = config.keep_unused,
          .object_store = config.object_store,
          .object_store_bytes = config.object_store_bytes.bytes};
}

}  // namespace tidemill::prepared
