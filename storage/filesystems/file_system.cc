#include "storage/filesystems/file_system.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace tidemill::storage {

absl::StatusOr<OpenFile> LocalFiles::Open(const std::string& path) { return OpenFile::Open(path); }

absl::StatusOr<FileIdentity> LocalFiles::IdentityOf(const std::string& path) {
  return storage::IdentityOf(path);
}

absl::StatusOr<std::string> LocalFiles::ResolveFolder(const std::string& path) {
  if (!path.starts_with('/')) return InvalidArgument("path '{}' is not absolute", path);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(path, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return InvalidArgument("path '{}' is no folder", path);
  }
  return folder.string();
}

absl::Status LocalFiles::Probe(const std::string&) { return absl::OkStatus(); }

absl::StatusOr<FileListing> LocalFiles::List(const std::string& root, std::string_view glob,
                                             const std::function<bool(const std::string&)>& admit) {
  ASSIGN_OR_RETURN(std::vector<ListedFile> files, ListFiles(root, glob, admit));
  return FileListing{.files = std::move(files), .identity_of = storage::IdentityOf};
}

}  // namespace tidemill::storage
