// Finds the members that links of a tar archive lead to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/status.h"
#include "storage/filesystems/local.h"
#include "storage/formats/tar/tar_reader.h"

namespace tidemill::storage {

// Holds only the members that some link leads to. Thread-safe, because it is immutable.
class TarLinks {
 public:
  // Reads the headers of the archive. Returns the errors of OpenFile::ReadAt.
  static absl::StatusOr<TarLinks> Read(const OpenFile& file, int64_t file_size);

  // Returns the link as the file that it leads to, under its own path. It may lead to other links.
  // The target of a hard link is before it in the archive; that of a symbolic link may be anywhere.
  // When the archive does not hold the target, the result has a problem that says so.
  TarMember Resolve(const TarMember& link) const;

 private:
  // Later members with the same path replace earlier ones.
  using Places = std::vector<TarMember>;

  // Adds the members with paths that are looked for. Returns whether more paths are looked for now.
  absl::StatusOr<bool> Collect(const OpenFile& file, int64_t file_size, bool every_link);
  const TarMember* Find(const TarMember& link) const;

  absl::flat_hash_map<std::string, Places> targets_;
};

}  // namespace tidemill::storage
