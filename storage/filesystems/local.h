// Files: listing, identity, reading. An open file may lie elsewhere (remote_file.h); the functions
// here know the machine's own filesystem alone.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "batch/buffer.h"
#include "storage/filesystems/remote_file.h"

namespace tidemill::storage {

// An open file. Movable; the destructor closes it. Reads are thread-safe.
class OpenFile {
 public:
  // NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT for what is no regular file.
  static absl::StatusOr<OpenFile> Open(const std::string& path);
  // A file that lies elsewhere.
  OpenFile(std::string path, std::unique_ptr<const RemoteFile> remote);

  const std::string& path() const { return path_; }
  // Whether there is no descriptor, and nothing to be mapped.
  bool is_remote() const { return remote_ != nullptr; }
  int descriptor() const { return descriptor_.number(); }

  // As the file is now, not as it was when opened; of a remote file as it was opened, which is all
  // that can be read of it.
  absl::StatusOr<FileIdentity> Identity() const;
  // Up to `size` bytes at `offset`, fewer at the end of the file.
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const;
  // Where reading is dear, fetches what of the ranges is not at hand: many at once rather than one
  // after another. The ranges may then be read at little cost. OK without a deed for other files.
  absl::Status Prepare(std::span<const ByteRange> ranges) const;
  // Maps the first `size` bytes for reading; the mapping lives as long as a copy of the buffer.
  // Touching bytes that the file no longer has raises SIGBUS. FAILED_PRECONDITION for a remote
  // file.
  absl::StatusOr<batch::Buffer> Map(size_t size) const;

 private:
  OpenFile(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  std::string path_;
  Descriptor descriptor_;
  std::unique_ptr<const RemoteFile> remote_;
};

// NOT_FOUND when there is no regular file (links are followed).
absl::StatusOr<FileIdentity> IdentityOf(const std::string& path);

struct ListedFile {
  std::string path;  // Below the root, no leading slash.
  FileIdentity identity;
};

// What lies where files are looked for and is none that can be taken.
struct PassedOver {
  int64_t count = 0;
  std::string first = {};  // "link.csv: a link that leads nowhere".
};

struct ListedFolder {
  std::vector<ListedFile> files;
  // Of what matches the pattern, and links to folders, which may be cycles.
  PassedOver passed_over = {};
};

// The regular files below `root` whose path matches `glob`, in byte order of their paths. Hidden
// files and folders are left out. Links are followed where `admit(path of the link)` says so.
// UNAVAILABLE when a folder cannot be read: a partial list must not look like missing files.
absl::StatusOr<ListedFolder> ListFiles(const std::string& root, std::string_view glob,
                                       const std::function<bool(const std::string&)>& admit);

}  // namespace tidemill::storage
