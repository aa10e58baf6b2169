// Where data files are: the machine's own filesystem and object stores behind one interface.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Answers as FileSystem::IdentityOf.
using IdentityLookup = std::function<absl::StatusOr<FileIdentity>(const std::string& path)>;

// The files below a folder at one time.
struct FileListing {
  // Those that were asked for, in byte order of their paths.
  std::vector<ListedFile> files;
  // Of these and of their neighbours (files of labels) by their whole paths; it holds what it
  // needs. A store is not asked again, for which each answer would take a request.
  IdentityLookup identity_of;
  // A store has nothing else than files.
  PassedOver passed_over = {};
};

// Thread-safe. Paths are whole: absolute ones, or s3://bucket/key.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Codes as OpenFile::Open; UNAVAILABLE when a store cannot be reached.
  virtual absl::StatusOr<OpenFile> Open(const std::string& path) = 0;

  // NOT_FOUND when there is no such file; other codes as Open.
  virtual absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) = 0;

  // The folder that a path names, links resolved, without a slash at the end. INVALID_ARGUMENT when
  // it names none. A store is not asked.
  virtual absl::StatusOr<std::string> ResolveFolder(const std::string& path) = 0;

  // Whether a resolved folder can be listed. Codes as List. A folder of a store that nothing lies
  // in is fine, and logged, since it may be a misspelling.
  virtual absl::Status Probe(const std::string& folder) = 0;

  // As ListFiles(). A store's refusal is PERMISSION_DENIED or FAILED_PRECONDITION.
  virtual absl::StatusOr<FileListing> List(
      const std::string& root, std::string_view glob,
      const std::function<bool(const std::string&)>& admit) = 0;
};

// The machine's own.
class LocalFiles final : public FileSystem {
 public:
  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob,
                                   const std::function<bool(const std::string&)>& admit) override;
};

}  // namespace tidemill::storage
