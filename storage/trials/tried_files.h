// The files of a dataset for a trial: all files that this process may read. Writes nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/paths/allowed_folders.h"
#include "base/status.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

// It is for the command line, which reads nothing that its user may not read. A packed file is
// opened as the unpacked content of its beginning. Thread-compatible.
class TriedFiles final : public FileSystem {
 public:
  TriedFiles();

  absl::StatusOr<OpenFile> Open(const std::string& path) override;
  absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) override;
  absl::StatusOr<std::string> ResolveFolder(const std::string& path) override;
  absl::Status Probe(const std::string& folder) override;
  // RESOURCE_EXHAUSTED when the folder holds more than kMaxEntries.
  absl::StatusOr<FileListing> List(const std::string& root, std::string_view glob) override;

  // Opens a packed file without unpacking it.
  absl::StatusOr<OpenFile> OpenPacked(const std::string& path) { return local_.Open(path); }

  // Whether a file is packed and its beginning is not all of it.
  absl::StatusOr<bool> IsCut(const std::string& path);

  // The same files as formats open them.
  UnpackedCache& unpacked() { return *unpacked_; }

  static constexpr int64_t kMaxEntries = 1'000'000;

 private:
  const AllowedFolders folders_;
  LocalFiles local_;
  const std::unique_ptr<UnpackedCache> starts_;    // Over `local_`.
  const std::unique_ptr<UnpackedCache> unpacked_;  // Over this object.
};

}  // namespace tidemill::storage
