// Lists and reads files. An open file may be remote (remote_file.h).
#pragma once

#include <sys/stat.h>

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/paths/allowed_folders.h"
#include "base/status.h"
#include "batch/buffer.h"
#include "storage/filesystems/remote_file.h"

namespace tidemill::storage {

// An open file. Movable; the destructor closes it. Reads are thread-safe.
class OpenFile {
 public:
  // Opens one of the service's own files. Paths of users are opened by DataRoots. NOT_FOUND,
  // PERMISSION_DENIED, or INVALID_ARGUMENT when it is not a regular file.
  static absl::StatusOr<OpenFile> Open(const std::string& path);
  // A regular file that is open.
  OpenFile(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  // A file that is elsewhere.
  OpenFile(std::string path, std::unique_ptr<const RemoteFile> remote);

  const std::string& path() const { return path_; }
  // Whether the file has no descriptor and cannot be mapped.
  bool is_remote() const { return remote_ != nullptr; }
  int descriptor() const { return descriptor_.number(); }

  // Returns the identity of the file now, not when it was opened. For a remote file, it is the
  // identity when it was opened, because only that state can be read.
  absl::StatusOr<FileIdentity> Identity() const;
  // Reads up to `size` bytes at `offset`; fewer at the end of the file.
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const;
  // Fetches the missing parts of the ranges of a remote file, many at once rather than one after
  // another. Reading the ranges is cheap afterwards. Does nothing for other files.
  absl::Status Prepare(std::span<const ByteRange> ranges) const;
  // Maps the first `size` bytes for reading. The mapping lives as long as a copy of the buffer.
  // Touching bytes that the file no longer has raises SIGBUS. FAILED_PRECONDITION for a remote
  // file.
  absl::StatusOr<batch::Buffer> Map(size_t size) const;

 private:
  std::string path_;
  Descriptor descriptor_;
  std::unique_ptr<const RemoteFile> remote_;
};

FileIdentity ToIdentity(const struct stat& status);

struct ListedFile {
  std::string path;  // The path below the root, without a leading slash.
  FileIdentity identity;
};

// The entries found among the files that cannot be ingested.
struct SkippedEntries {
  int64_t count = 0;
  std::string first = {};  // "link.csv: a link that leads nowhere".
};

struct ListedFolder {
  std::vector<ListedFile> files;
  // Counts what matches the pattern, and links to folders, because they may be cycles.
  SkippedEntries passed_over = {};
};

// Returns the regular files below `root` whose path matches `glob`, in the byte order of their
// paths. Hidden files and folders are left out, and folders of stacks' states passed over. A link
// is followed when it leads to a file below the roots. Returns the errors of
// AllowedFolders::OpenFolder. INVALID_ARGUMENT when the pattern itself names a folder of a stack's
// state. UNAVAILABLE when a folder cannot be read, because a partial list must not look like
// missing files. RESOURCE_EXHAUSTED when there are more than `most_entries` files and folders,
// whether they match or not.
absl::StatusOr<ListedFolder> ListFiles(const AllowedFolders& roots, const std::string& root,
                                       std::string_view glob,
                                       int64_t most_entries = std::numeric_limits<int64_t>::max());

// Does the same for one of the service's own folders.
absl::StatusOr<ListedFolder> ListOwnFiles(const std::string& folder, std::string_view glob);

}  // namespace tidemill::storage
