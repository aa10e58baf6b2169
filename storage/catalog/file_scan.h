// What has happened to a dataset's files since they were taken in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "storage/catalog/files_table.h"
#include "storage/filesystems/file_system.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// kResumed: it is as it was when a part of it was taken in.
enum class FileChange { kNew, kGrown, kResumed, kReplaced, kVanished };

// What came of the pieces of a file that were taken in before.
struct PieceTally {
  int64_t num_bad = 0;
  // Whether the file is to be quarantined as a whole should too much of it turn out to be bad.
  bool judged = false;
};

struct ChangedFile {
  FileChange change = FileChange::kNew;
  FileInput input = {};
  std::string path = {};  // Absolute.
  int64_t fingerprint = 0;
  std::optional<files_table::KnownFile> known = std::nullopt;
  // Of one that goes on behind its last piece.
  std::optional<PieceTally> tally = std::nullopt;
};

struct FileScan {
  std::vector<ChangedFile> changed;  // In the order of their paths.
  int64_t num_found = 0;
  // Files that changed less than `settle` ago and are left out, and when the first of them will
  // have settled.
  int64_t num_unsettled = 0;
  Timestamp settled_at;
  // Files left out because their paths are not UTF-8 or too long to be kept, as base/printable.h
  // shows them, cut where they are long.
  std::vector<std::string> unnamed;
  PassedOver passed_over = {};
};

// Of inode, size and mtime of a file and of the files that belong to it. Never 0, which stands for
// a file to be looked at again in any case. `identity_of` knows the files that belong to it.
int64_t FingerprintOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of);

// Compares what was listed with what is known, both in the order of their paths. Files whose paths
// cannot be kept are left out and listed. UNAVAILABLE when there are no files at all and there
// were some: the folder looks like one that is not mounted.
absl::StatusOr<FileScan> CompareFiles(const DatasetSpec& spec, const FileListing& listing,
                                      const std::vector<files_table::KnownFile>& known,
                                      Duration settle, Timestamp now);

}  // namespace tidemill::storage
