// Reads the segments that were ingested from files before the files changed.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/catalog/files_table.h"
#include "storage/filesystems/local.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// A committed segment with its columns. The columns are null when they could not be read.
struct OldSegment {
  files_table::Segment segment;
  std::shared_ptr<const SegmentColumns> columns;
};

// Reads the segments of a dataset. Thread-safe. A status other than OK concerns the database.
class OldSegments {
 public:
  // `database` must outlive this object.
  OldSegments(db::Database& database, std::string storage_folder, DatasetId dataset);

  // Returns all segments of a file in the order of their keys, or the last of them.
  absl::StatusOr<std::vector<OldSegment>> Of(FileId file) const;
  absl::StatusOr<std::vector<OldSegment>> LastOf(FileId file) const;

  // Returns the segments that hold samples of a file: all of them, or when each sample is a file,
  // the one with that sample.
  absl::StatusOr<std::vector<OldSegment>> AllOf(const files_table::KnownFile& file)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Compares samples of a file with its present content, from the sample after `after_key` on;
  // after the last sample, continues with the first. Reads and hashes about `max_bytes`. Returns
  // the key of the last sample that was compared; std::nullopt when a sample is no longer in the
  // file as it was ingested.
  absl::StatusOr<std::optional<int64_t>> Compare(FileId file, const OpenFile& data,
                                                 int64_t after_key, int64_t max_bytes) const;

  // Returns the segment that holds a key; empty when none does. When each sample is a file,
  // thousands of files share a segment, so the last few segments are kept.
  absl::StatusOr<std::vector<OldSegment>> With(int64_t sample_key) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::StatusOr<std::vector<files_table::Segment>> SegmentsOf(FileId file) const;
  OldSegment Open(const files_table::Segment& segment) const;

  db::Database& database_;
  const std::string storage_folder_;
  const DatasetId dataset_;
  Mutex mutex_;
  std::deque<OldSegment> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
