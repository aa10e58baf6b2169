// What has happened to a dataset's files since they were taken in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "storage/files_table.h"
#include "storage/filesystems/file_system.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

enum class FileChange { kNew, kGrown, kReplaced, kVanished };

struct ChangedFile {
  FileChange change = FileChange::kNew;
  FileInput input = {};
  std::string path = {};  // Absolute.
  int64_t fingerprint = 0;
  std::optional<files_table::KnownFile> known = std::nullopt;
};

struct FileScan {
  std::vector<ChangedFile> changed;  // In the order of their paths.
  int64_t num_found = 0;
  // Files that changed less than `settle` ago and are left out, and when the first of them will
  // have settled.
  int64_t num_unsettled = 0;
  Timestamp settled_at;
};

// Of inode, size and mtime of a file and of the files that belong to it. Never 0, which stands for
// a file to be looked at again in any case. `identity_of` knows the files that belong to it.
int64_t FingerprintOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of);

// Compares what was listed with what is known. Files whose names are not UTF-8 are left out with a
// warning. UNAVAILABLE when there are no files at all and there were some: the folder looks like
// one that is not mounted.
absl::StatusOr<FileScan> CompareFiles(const DatasetSpec& spec, const FileListing& listing,
                                      const std::map<std::string, files_table::KnownFile>& known,
                                      Duration settle, Timestamp now);

}  // namespace tidemill::storage
