// The files of a dataset for a trial: all that this process may read, and nothing is written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/paths/allowed_folders.h"
#include "base/status.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

// It is for the command line, whose user may read everything that it reads. A packed file is opened
// as what its beginning unpacks to. Thread-compatible.
class TriedFiles final : public FileSystem {
 public:
  TriedFiles();

  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  // RESOURCE_EXHAUSTED when the folder holds more than kMostEntries.
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

  // Opens a packed file as it lies on the disk.
  absl::StatusOr<OpenFile> OpenPacked(const std::string& path) { return local_.Open(path); }

  // Whether a file is packed and its beginning is not all of it.
  absl::StatusOr<bool> IsCut(const std::string& path);

  // The same files as formats open them.
  UnpackedCache& unpacked() { return *unpacked_; }

  static constexpr int64_t kMostEntries = 1'000'000;

 private:
  const AllowedFolders folders_;
  LocalFiles local_;
  const std::unique_ptr<UnpackedCache> starts_;    // Over `local_`.
  const std::unique_ptr<UnpackedCache> unpacked_;  // Over this object.
};

}  // namespace tidemill::storage
