// The rows from which the sample index is loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"

namespace tidemill::storage {

// Two equal stamps of a dataset mean that nothing was committed between them.
struct IndexStamp {
  int64_t committed_key = 0;
  int64_t tombstone_sequence = 0;
  int64_t num_segments = 0;
  int64_t last_segment_id = 0;
  friend bool operator==(const IndexStamp&, const IndexStamp&) = default;
};

struct SegmentRecord {
  int64_t segment_id = 0;
  std::optional<FileId> file = std::nullopt;
  int64_t first_key = 0;
  int64_t num_samples = 0;
};

struct TombstoneRecord {
  int64_t sequence = 0;
  int64_t key = 0;
};

struct FileRecord {
  FileId file;
  std::string path;
};

// One consistent state of a dataset.
struct IndexRecords {
  IndexStamp stamp;
  // Ordered by key. This and the other lists are empty when the stamp equals the given one.
  std::vector<SegmentRecord> segments;
  // The tombstones after the given sequence, and the files after the given file.
  std::vector<TombstoneRecord> tombstones;
  std::vector<FileRecord> files;
};

// Reads what has changed since `before`. NOT_FOUND when the dataset is unknown.
absl::StatusOr<IndexRecords> ReadIndexRecords(db::Database& database, DatasetId dataset,
                                              const std::optional<IndexStamp>& before,
                                              FileId last_file);

}  // namespace tidemill::storage
