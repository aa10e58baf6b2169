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
    return InvalidArgument("path '{}' is not a folder", path);
  }
  return folder.string();
}

absl::Status LocalFiles::Probe(const std::string&) { return absl::OkStatus(); }

absl::StatusOr<FileListing> LocalFiles::List(const std::string& root, std::string_view glob,
                                             const std::function<bool(const std::string&)>& admit) {
  ASSIGN_OR_RETURN(ListedFolder listed, ListFiles(root, glob, admit));
  return FileListing{.files = std::move(listed.files),
                     .identity_of = storage::IdentityOf,
                     .passed_over = std::move(listed.passed_over)};
}

}  // namespace tidemill::storage
