// Where data files are. The machine's own filesystem and object stores have the same interface.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/filesystems/allowed_roots.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Behaves as FileSystem::IdentityOf.
using IdentityLookup = std::function<absl::StatusOr<FileIdentity>(const std::string& path)>;

// The files below a folder at one time.
struct FileListing {
  // The requested files, in the byte order of their paths.
  std::vector<ListedFile> files;
  // Returns the identity of these files and of their neighbours (files of labels) by their whole
  // paths. It holds all that it needs, so a store is not asked again: each answer would take a
  // request. Thread-compatible.
  IdentityLookup identity_of;
  // Always empty for a store, which has only files.
  SkippedEntries passed_over = {};
};

// Thread-safe. Paths are whole: absolute paths, or s3://bucket/key. Every call checks its path
// first (data_roots.h): a path that is not below an allowed root is INVALID_ARGUMENT, and is not
// touched.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // NOT_FOUND, PERMISSION_DENIED. INVALID_ARGUMENT also when it is not a regular file. UNAVAILABLE
  // when a store cannot be reached.
  virtual absl::StatusOr<OpenFile> Open(const std::string& path) = 0;

  // NOT_FOUND when there is no such file. Also returns the errors of Open().
  virtual absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) = 0;

  // Returns the folder that a path names, with links resolved and without a slash at the end.
  // NOT_FOUND when there is none. A store is not asked.
  virtual absl::StatusOr<std::string> ResolveFolder(const std::string& path) = 0;

  // Checks that a resolved folder can be listed. Returns the errors of List(). An empty folder of a
  // store is allowed. It is logged, because it may be a misspelling.
  virtual absl::Status Probe(const std::string& folder) = 0;

  // Lists files as ListFiles() does. When a store refuses, the code is PERMISSION_DENIED or
  // FAILED_PRECONDITION.
  virtual absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) = 0;
};

// Checks that the folder of a dataset is there. FAILED_PRECONDITION says why none of its records
// can be read: it is in none of the allowed folders, is gone, or is empty, as a folder where a disk
// was mounted. Only the roots of a store are checked.
absl::Status CheckDataFolder(FileSystem& source, const std::string& folder);

// The machine's own files below the allowed roots.
class LocalFiles final : public FileSystem {
 public:
  explicit LocalFiles(std::shared_ptr<const AllowedRoots> roots) : roots_(std::move(roots)) {}

  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

 private:
  const std::shared_ptr<const AllowedRoots> roots_;
};

}  // namespace tidemill::storage
