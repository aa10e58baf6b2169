#include "base/process/library_folders.h"

#include <link.h>

#include <filesystem>
#include <set>

namespace tidemill::process {
namespace {

int AddFolder(dl_phdr_info* library, size_t /*size*/, void* folders) {
  // The program itself has no name, and the kernel's part no folder.
  const std::filesystem::path path(library->dlpi_name);
  if (path.is_absolute()) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path.parent_path(), error);
    if (!error) static_cast<std::set<std::string>*>(folders)->insert(real.string());
  }
  return 0;
}

}  // namespace

std::vector<std::string> LibraryFolders() {
  std::set<std::string> folders;
  dl_iterate_phdr(&AddFolder, &folders);
  return {folders.begin(), folders.end()};
}

}  // namespace tidemill::process
