#include "storage/filesystems/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

namespace {

absl::StatusOr<FileIdentity> IdentityAt(const AllowedFolders& folders, const std::string& path) {
  ASSIGN_OR_RETURN(const struct stat status, folders.Look(path));
  if (!S_ISREG(status.st_mode)) return NotFound("{} is not a regular file", path);
  return ToIdentity(status);
}

// Looks at the neighbours of listed files. They come folder by folder, so the last folder stays
// open. Thread-compatible.
class Neighbours {
 public:
  explicit Neighbours(std::shared_ptr<const DataRoots> roots) : roots_(std::move(roots)) {}

  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) {
    const size_t name = path.rfind('/') + 1;
    const std::string_view folder = std::string_view(path).substr(0, name);
    if (folder != path_) {
      path_.clear();
      auto opened = roots_->folders().OpenFolder(std::string(folder));
      RETURN_IF_ERROR(opened.status());
      path_ = folder;
      folder_ = std::move(opened->descriptor);
    }
    struct stat status = {};
    if (fstatat(folder_.number(), path.c_str() + name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return NotFound("there is no {}", path);
    }
    return S_ISREG(status.st_mode) ? ToIdentity(status) : IdentityAt(roots_->folders(), path);
  }

 private:
  const std::shared_ptr<const DataRoots> roots_;
  std::string path_;  // The path of the open folder, with a slash at the end.
  Descriptor folder_;
};

}  // namespace

absl::Status CheckDataFolder(FileSystem& source, const std::string& folder) {
  const absl::Status found = source.ResolveFolder(folder).status();
  if (absl::IsInvalidArgument(found)) {
    return FailedPrecondition("{}", std::string(found.message()));
  }
  if (absl::IsNotFound(found)) {
    return FailedPrecondition("its folder is not there: {}", std::string(found.message()));
  }
  RETURN_IF_ERROR(found);
  std::error_code error;
  if (IsObjectPath(folder) || !std::filesystem::is_empty(folder, error)) return absl::OkStatus();
  return FailedPrecondition("its folder {} is empty; is its disk mounted?", folder);
}

absl::StatusOr<OpenFile> LocalFiles::Open(const std::string& path) {
  ASSIGN_OR_RETURN(Descriptor file, roots_->Present()->folders().OpenFile(path));
  return OpenFile(path, std::move(file));
}

absl::StatusOr<FileIdentity> LocalFiles::IdentityOf(const std::string& path) {
  return IdentityAt(roots_->Present()->folders(), path);
}

absl::StatusOr<std::string> LocalFiles::ResolveFolder(const std::string& path) {
  const std::shared_ptr<const DataRoots> roots = roots_->Present();
  ASSIGN_OR_RETURN(const struct stat status, roots->folders().Look(path));
  if (!S_ISDIR(status.st_mode)) return NotFound("{} is not a folder", path);
  return roots->Resolve(path);
}

absl::Status LocalFiles::Probe(const std::string&) { return absl::OkStatus(); }

absl::StatusOr<FileListing> LocalFiles::List(const std::string& root, std::string_view glob) {
  std::shared_ptr<const DataRoots> roots = roots_->Present();
  absl::StatusOr<ListedFolder> listed = ListFiles(roots->folders(), root, glob);
  if (absl::IsNotFound(listed.status()) || absl::IsPermissionDenied(listed.status())) {
    return Unavailable("cannot list {}: {}", root, std::string(listed.status().message()));
  }
  RETURN_IF_ERROR(listed.status());
  const auto neighbours = std::make_shared<Neighbours>(std::move(roots));
  return FileListing{
      .files = std::move(listed->files),
      .identity_of = [neighbours](const std::string& path) { return neighbours->IdentityOf(path); },
      .passed_over = std::move(listed->passed_over)};
}

}  // namespace tidemill::storage
