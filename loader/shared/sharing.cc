#include "loader/shared/sharing.h"

#include <unistd.h>

#include <filesystem>

#include "fmt/format.h"

#include "base/digest.h"

namespace tidemill::loader {

std::string OriginOf(int64_t dataset_id) { return fmt::format("dataset {}", dataset_id); }

std::string SharedFolderOf(const std::string& state_folder) {
  std::error_code unknown;
  std::string path = std::filesystem::weakly_canonical(state_folder, unknown).string();
  if (unknown) path = state_folder;
  return fmt::format("/dev/shm/tidemill-{}-{}", geteuid(), Sha256(path).substr(0, 16));
}

}  // namespace tidemill::loader
