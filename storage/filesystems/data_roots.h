// Decides which paths storage may touch. No other place decides it: neither for registered
// datasets, nor for datasets that are only inspected, nor for links in them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/paths/allowed_folders.h"
#include "base/status.h"

namespace tidemill::storage {

// The folders, and s3://bucket/folder, below which data may be. Thread-safe, because it is
// immutable. Local files are opened by base/paths/allowed_folders.h.
class DataRoots {
 public:
  // A root that does not exist, or is not a folder, allows nothing. Folders of `states` are never
  // data; it may be null.
  explicit DataRoots(const std::vector<std::string>& allowed,
                     std::shared_ptr<const StateFolders> states = nullptr);

  // Returns the path with its links resolved; it is below a root. Returns the errors of
  // AllowedFolders. An object store is not asked.
  absl::StatusOr<std::string> Resolve(const std::string& path) const;

  // The roots on this machine.
  const AllowedFolders& folders() const { return folders_; }

 private:
  absl::StatusOr<std::string> ResolveObject(const std::string& path) const;

  const AllowedFolders folders_;
  std::vector<std::string> objects_;  // s3://bucket/folder.
};

}  // namespace tidemill::storage
