#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "storage/filesystems/local.h"
#include "storage/spec/glob.h"

namespace tidemill::storage {

namespace {

constexpr char kOwnFolder[] = "is not a folder of this service";

// Collects the files below one root. Each folder is opened in the one above it, by its descriptor.
class Listing {
 public:
  Listing(const AllowedFolders& roots, std::string root, std::string_view glob,
          int64_t most_entries)
      : roots_(roots), root_(std::move(root)), glob_(glob), most_entries_(most_entries) {}

  absl::Status Visit(Descriptor folder, const std::string& below) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(folder.number()), &closedir);
    if (entries == nullptr) return CannotList(below);
    const int parent = folder.Release();  // Closed by closedir().
    while (true) {
      errno = 0;
      const dirent* const entry = readdir(entries.get());
      if (entry == nullptr) return errno == 0 ? absl::OkStatus() : CannotList(below);
      if (entry->d_name[0] == '.') continue;
      if (num_entries_++ == most_entries_) {
        return ResourceExhausted("{} has more than {} files and folders", root_, most_entries_);
      }
      path_ = below;
      if (!below.empty()) path_ += '/';
      path_ += entry->d_name;
      RETURN_IF_ERROR(VisitEntry(parent, entry->d_name));
    }
  }

  ListedFolder Take() {
    std::sort(files_.begin(), files_.end(),
              [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
    return {.files = std::move(files_), .passed_over = std::move(passed_over_)};
  }

 private:
  // Visits the entry `path_`.
  absl::Status VisitEntry(int parent, const char* name) {
    struct stat status = {};
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return absl::OkStatus();  // Removed during the listing.
    }
    if (S_ISLNK(status.st_mode)) {
      // Nothing at its target was touched.
      const auto target = roots_.Look(root_ + "/" + path_);
      if (!target.ok()) return PassOver("a link that leads nowhere, or out of the allowed folders");
      status = *target;
      // A linked folder may be a cycle.
      if (S_ISDIR(status.st_mode)) return PassOver("a link to a folder", /*always=*/true);
    }
    if (S_ISDIR(status.st_mode)) return Descend(parent, name);
    if (!S_ISREG(status.st_mode)) return PassOver("a pipe, a socket or a device");
    if (GlobMatches(glob_, path_)) {
      files_.push_back({.path = path_, .identity = ToIdentity(status)});
    }
    return absl::OkStatus();
  }

  absl::Status Descend(int parent, const char* name) {
    const std::string below = path_;
    Descriptor folder(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return CannotList(below);
    if (!roots_.IsState(folder.number())) return Visit(std::move(folder), below);
    if (!glob_.starts_with(below + "/")) {
      return PassOver("a folder that holds a stack's state", /*always=*/true);
    }
    return InvalidArgument(
        "{}/{} holds a stack's state, which is never read as data; name other files than '{}'",
        root_, below, glob_);
  }

  absl::Status CannotList(const std::string& below) const {
    const std::string reason = std::strerror(errno);
    return Unavailable("cannot list {}: {}", below.empty() ? root_ : root_ + "/" + below, reason);
  }

  // Counts skipped entries, so that they can be reported.
  absl::Status PassOver(const char* why, bool always = false) {
    if (!always && !GlobMatches(glob_, path_)) return absl::OkStatus();
    if (passed_over_.count++ == 0) passed_over_.first = path_ + ": " + why;
    return absl::OkStatus();
  }

  const AllowedFolders& roots_;
  const std::string root_;
  const std::string_view glob_;
  const int64_t most_entries_;
  int64_t num_entries_ = 0;
  std::string path_;  // The path of the current entry, below the root.
  std::vector<ListedFile> files_;
  PassedOver passed_over_;
};

}  // namespace

absl::StatusOr<ListedFolder> ListFiles(const AllowedFolders& roots, const std::string& root,
                                       std::string_view glob, int64_t most_entries) {
  ASSIGN_OR_RETURN(AllowedFolders::Folder folder, roots.OpenFolder(root));
  Listing listing(roots, std::move(folder.path), glob, most_entries);
  RETURN_IF_ERROR(listing.Visit(std::move(folder.descriptor), ""));
  return listing.Take();
}

absl::StatusOr<ListedFolder> ListOwnFiles(const std::string& folder, std::string_view glob) {
  const std::string path = std::filesystem::absolute(folder).string();
  return ListFiles(AllowedFolders({path}, nullptr, kOwnFolder), path, glob);
}

}  // namespace tidemill::storage
