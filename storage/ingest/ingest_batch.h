// The rows of one ingest transaction. They are made from parsed files, without side effects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "storage/ingest/deleted_records.h"
#include "storage/ingest/file_parser.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

struct FileRow {
  FileId id;
  std::string path;
  int64_t version_step = 1;  // Added to the version; 1 for the first batch.
  FileIdentity identity;
  int64_t fingerprint = 0;
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  int64_t num_bytes = 0;  // How far it was read, unpacked.
  // The records among those read now that `where` filters.
  int64_t num_filtered = 0;
  std::optional<int64_t> sample_key;
  std::string state;
  int64_t checked_key = 0;
  bool columns_moved = false;
  std::optional<int64_t> change_stamp;
  std::optional<int64_t> edge_sum;
  bool fresh = true;  // Whether earlier quarantine entries of the file are void.
};

struct SegmentRow {
  int64_t segment_id = 0;  // Set when the segment is written.
  std::optional<FileId> file;
  int64_t first_key = 0;
  int64_t first_position = 0;
  SegmentRows rows = {};
};

struct NewSegment {
  SegmentRow segment;
  // The positions of the new rows, -1 for a key without a record. The rows before them were in the
  // segment that this segment replaces.
  std::vector<int64_t> positions = {};
  std::optional<int64_t> old_segment_id = std::nullopt;
  bool has_gaps = false;
};

struct RewrittenSegment {
  int64_t old_segment_id = 0;
  SegmentRow segment;
};

struct MovedSample {
  int64_t sample_key = 0;
  std::optional<int64_t> position;  // std::nullopt when the record has vanished.
};

struct QuarantineRow {
  std::string path;
  std::optional<int64_t> position;
  std::string reason;
  bool is_remark = false;
};

struct LeftOutRow {
  FileId file;
  LeftOutReason reason;
};

struct IngestBatch {
  std::vector<FileRow> files;
  std::vector<NewSegment> added;
  std::vector<RewrittenSegment> rewritten;
  std::vector<int64_t> tombstones;
  // Keys of segments that no record of this version has. Readers skip them, as deleted ones.
  std::vector<int64_t> gaps;
  // For each segment that is not rewritten, the number of its deleted samples without a label.
  std::map<int64_t, int64_t> unlabelled_tombstones;
  std::vector<MovedSample> moved;
  std::vector<QuarantineRow> quarantined;
  std::vector<LeftOutRow> left_out;
  int64_t committed_key = 0;
  int64_t num_samples = 0;      // New ones.
  int64_t num_replaced = 0;     // Buried ones for which the same file has as many new ones.
  int64_t num_quarantined = 0;  // Records and files.

  bool empty() const { return files.empty(); }
};

// Adds files one after another, and allocates keys in that order. Thread-compatible.
class IngestBatchBuilder {
 public:
  // `committed_key` is the last key allocated so far. With `one_file_a_sample`, all samples of a
  // batch share segments. `deleted` must outlive this object, and may grow at the same time.
  IngestBatchBuilder(int64_t committed_key, bool one_file_a_sample, int64_t samples_per_segment,
                     const DeletedRecords& deleted);

  // `new_id` is the id of the file if the file is not known yet.
  void Add(ParsedFile parsed, FileId new_id);

  // Returns a batch of everything added so far. Later files belong to the next batch.
  IngestBatch Finish();

  int64_t num_samples() const { return batch_.num_samples; }
  int64_t num_files() const { return static_cast<int64_t>(batch_.files.size()); }

 private:
  void AddLeftOut(ParsedFile& parsed, FileRow& row);
  void AddRecords(ParsedFile& parsed, FileId id);
  void AddWholeFile(ParsedFile& parsed, FileRow& row);
  // Gives rows the keys that they have in the earlier version of the dataset. Adds to `held` which
  // rows of `found` have got one.
  void TakeOver(ParsedFile& parsed, FileId id, std::vector<bool>& held);
  // The same when each sample is a file. Returns whether the sample has got its key.
  bool TakeOverWholeFile(ParsedFile& parsed, FileRow& row);
  // Rewrites the file's old segments. Returns which rows of `found` they already hold.
  std::vector<bool> Rewrite(ParsedFile& parsed, FileId id);
  void AddTombstonesOfLost(const files_table::Segment& segment);
  // Adds a tombstone for a sample whose record is gone, unless it was deleted on request before.
  void AddTombstones(int64_t key);
  // Counts the new rows that equal deleted records as left out, and marks them in `held`. An empty
  // `held` means that all rows are new.
  void LeaveOutDeleted(IndexedFile& found, std::vector<bool>& held) const;
  // Continues the last segment of a grown file while it is small. Otherwise a file that grows line
  // by line would have a segment for each line.
  void Extend(const OldSegment& old);
  // Puts the rows [from, to) of `found` under the keys from `first_key` on, all of which are of the
  // earlier version's segment `old`.
  void AddUnderKeys(const IndexedFile& found, size_t from, size_t to, int64_t first_key,
                    const files_table::Segment& old, std::optional<FileId> file, FileId id);
  // Adds rows for keys that have no record in this version, so that a segment need not end at each.
  void FillGap(NewSegment& segment, int64_t to_key, FileId id);
  // Gives keys to the rows [from, to) of `found`. `file` is std::nullopt when segments are shared.
  void AddRows(IndexedFile& found, size_t from, size_t to, std::optional<FileId> file, FileId id);
  // Returns the segment that the next row goes to. It has room for at least one row.
  NewSegment& OpenSegment(std::optional<FileId> file, int64_t first_position);

  const bool one_file_a_sample_;
  const int64_t samples_per_segment_;
  const DeletedRecords& deleted_;
  bool segment_open_ = false;
  std::vector<NewSegment> taken_over_;  // With keys that an earlier version gave.
  int64_t taken_from_ = 0;              // The segment that had the keys of the last one.
  IngestBatch batch_;
};

}  // namespace tidemill::storage
