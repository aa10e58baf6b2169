// Files of the machine's own filesystem: listing, identity, reading.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "batch/buffer.h"

namespace tidemill::storage {

// What tells one state of a file from another.
struct FileIdentity {
  int64_t inode = 0;
  int64_t size_bytes = 0;
  int64_t modified_nanos = 0;

  Timestamp modified_at() const { return {modified_nanos / 1000}; }
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// An open file. Movable; the destructor closes it. Reads are thread-safe.
class OpenFile {
 public:
  // NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT for what is no regular file.
  static absl::StatusOr<OpenFile> Open(const std::string& path);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  // As the file is now, not as it was when opened.
  absl::StatusOr<FileIdentity> Identity() const;
  // Up to `size` bytes at `offset`, fewer at the end of the file.
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const;
  // Maps the first `size` bytes for reading; the mapping lives as long as a copy of the buffer.
  // Touching bytes that the file no longer has raises SIGBUS.
  absl::StatusOr<batch::Buffer> Map(size_t size) const;

 private:
  OpenFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

// NOT_FOUND when there is no regular file (links are followed).
absl::StatusOr<FileIdentity> IdentityOf(const std::string& path);

struct ListedFile {
  std::string path;  // Below the root, no leading slash.
  FileIdentity identity;
};

// The regular files below `root` whose path matches `glob`, in byte order of their paths. Hidden
// files and folders are left out. Links are followed where `admit(absolute target)` says so.
// UNAVAILABLE when a folder cannot be read: a partial list must not look like missing files.
absl::StatusOr<std::vector<ListedFile>> ListFiles(
    const std::string& root, std::string_view glob,
    const std::function<bool(const std::string&)>& admit);

// `*` is any text without a slash, `**` any text, `**/` any folders or none, `?` one character that
// is no slash.
bool GlobMatches(std::string_view glob, std::string_view path);

}  // namespace tidemill::storage
