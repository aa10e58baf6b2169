// The rows of one ingest transaction, made from parsed files without touching anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "storage/ingest/file_parser.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

struct FileRow {
  FileId id;
  std::string path;
  int64_t version_step = 1;  // Added to the version; 1 for a first one.
  FileIdentity identity;
  int64_t fingerprint = 0;
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  std::optional<int64_t> sample_key;
  std::string state;
  bool fresh = true;  // What was quarantined of it before is void.
};

struct SegmentRow {
  int64_t segment_id = 0;  // Given when written.
  std::optional<FileId> file;
  int64_t first_key = 0;
  int64_t first_position = 0;
  SegmentRows rows = {};
};

struct NewSegment {
  SegmentRow segment;
  // Of the new rows; those before them were in the segment that this one replaces.
  std::vector<int64_t> positions;
  std::optional<int64_t> old_segment_id;
};

struct RewrittenSegment {
  int64_t old_segment_id = 0;
  SegmentRow segment;
};

struct MovedSample {
  int64_t sample_key = 0;
  std::optional<int64_t> position;  // std::nullopt: vanished.
};

struct QuarantineRow {
  std::string path;
  std::optional<int64_t> position;
  std::string reason;
};

struct LeftOutRow {
  FileId file;
  LeftOutReason reason;
};

struct IngestBatch {
  std::vector<FileRow> files;
  std::vector<NewSegment> added;
  std::vector<RewrittenSegment> rewritten;
  std::vector<int64_t> buried;
  // How many of those that are buried had no label, by a segment that is not written again.
  std::map<int64_t, int64_t> unlabelled_buried;
  std::vector<MovedSample> moved;
  std::vector<QuarantineRow> quarantined;
  std::vector<LeftOutRow> left_out;
  int64_t committed_key = 0;
  int64_t num_samples = 0;      // New ones.
  int64_t num_quarantined = 0;  // Records and files.

  bool empty() const { return files.empty(); }
};

// Adds files one after another; keys are given in that order. Thread-compatible.
class IngestBatchBuilder {
 public:
  // `committed_key`: the last key given so far. `one_file_a_sample`: all of a batch's samples share
  // segments.
  IngestBatchBuilder(int64_t committed_key, bool one_file_a_sample, int64_t samples_per_segment);

  // `new_id`: of the file, if it is not known yet.
  void Add(ParsedFile parsed, FileId new_id);

  // What was added so far is a batch; what is added next belongs to another one.
  IngestBatch Finish();

  int64_t num_samples() const { return batch_.num_samples; }
  int64_t num_files() const { return static_cast<int64_t>(batch_.files.size()); }

 private:
  void AddLeftOut(ParsedFile& parsed, FileRow& row);
  void AddRecords(ParsedFile& parsed, FileId id);
  void AddWholeFile(ParsedFile& parsed, FileRow& row);
  // Rewrites the file's old segments; returns which rows of `found` they already hold.
  std::vector<bool> Rewrite(ParsedFile& parsed, FileId id);
  void BuryLost(const files_table::Segment& segment);
  // Goes on with a grown file's last segment while it is small: a file that grows line by line
  // would become a segment a line.
  void Extend(const OldSegment& old);
  // Gives keys to the rows [from, to) of `found`. `file`: none where segments are shared.
  void AddRows(IndexedFile& found, size_t from, size_t to, std::optional<FileId> file, FileId id);
  // The segment that the next row goes to, with room for one at least.
  NewSegment& OpenSegment(std::optional<FileId> file, int64_t first_position);

  const bool one_file_a_sample_;
  const int64_t samples_per_segment_;
  bool segment_open_ = false;
  IngestBatch batch_;
};

}  // namespace tidemill::storage
