// Finds how a dataset's files have changed since they were ingested.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "storage/catalog/files_table.h"
#include "storage/filesystems/file_system.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// kGrown: the file became longer, and its spec has `append`. What it held before may have changed,
// too. kResumed: the file is unchanged, but only a part of it was ingested.
enum class FileChange { kNew, kGrown, kResumed, kReplaced, kVanished };

// The counts of the pieces of a file that were ingested before.
struct PieceTally {
  int64_t num_bad = 0;
  int64_t lost_bytes = 0;
  int64_t zeroed_bytes = 0;  // See IndexedFile.
  std::optional<BadRecord> first_bad = std::nullopt;
  // Whether the whole file is quarantined when too much of it turns out to be bad.
  bool judged = false;
};

struct ChangedFile {
  FileChange change = FileChange::kNew;
  FileInput input = {};
  std::string path = {};  // The absolute path.
  int64_t fingerprint = 0;
  int64_t change_stamp = 0;
  std::optional<files_table::KnownFile> known = std::nullopt;
  // The earlier version's knowledge of a file that is new in this version. Set while this version
  // takes over its keys.
  std::optional<files_table::KnownFile> earlier = std::nullopt;
  // The counts of a file that continues after its last piece.
  std::optional<PieceTally> tally = std::nullopt;
  // The last sample that was compared with the grown file.
  int64_t checked_key = 0;
};

// A file that changed less than `settle` ago.
struct UnsettledFile {
  std::string path = {};  // The absolute path.
  // When it will have settled, if it does not change again.
  Timestamp settled_at = {};
};

struct FileScan {
  std::vector<ChangedFile> changed;  // Ordered by path.
  int64_t num_found = 0;
  // They are not in `changed`. Ordered by path.
  std::vector<UnsettledFile> unsettled;
  // The files that are left out because their paths are not UTF-8, or too long to be stored. They
  // are in the form of base/printable.h, cut when they are long.
  std::vector<std::string> unnamed;
  SkippedEntries passed_over = {};
};

// Returns a fingerprint of the inode, size and mtime of a file and of the files that belong to it.
// It is never 0; 0 marks a file that must always be read again. `identity_of` looks up the files
// that belong to it.
int64_t FingerprintOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of);

// Returns a hash of the ctimes of the same files; 0 when the files are objects in a store, which
// have none. A file of the same fingerprint and another stamp may have been edited, and its mtime
// put back; or it has only been renamed, linked or given other permissions.
int64_t ChangeStampOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of);

// Compares the listed files with the known ones. Both are ordered by path. Files whose paths cannot
// be stored are left out and listed. UNAVAILABLE when there are no files at all although there were
// some: the folder is probably not mounted.
absl::StatusOr<FileScan> CompareFiles(const DatasetSpec& spec, const FileListing& listing,
                                      const std::vector<files_table::KnownFile>& known,
                                      Duration settle, Timestamp now);

}  // namespace tidemill::storage
