#include "storage/ingest/ingest_writer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/failpoints.h"
#include "base/files.h"
#include "db/copy.h"
#include "storage/catalog/files_table.h"
#include "storage/segments/new_segment_files.h"

// One transaction of CommitBatch(), in this order:
//
//   lock          the dataset's row of storage.watermarks
//   COPY, merge   files; quarantine; reasons for left-out records
//   COPY          segments, after the replaced ones are deleted; samples
//   UPDATE        positions of samples that moved; tombstones; the watermark
//   COMMIT
//   afterwards    the column files of replaced segments are removed

namespace tidemill::storage {

namespace {

// COPY takes no parameters: what is formatted into statements here are numbers of our own.
// Once a connection: making a table costs as much as copying thousands of rows.
constexpr char kCreateTables[] = R"(
  CREATE TEMP TABLE ingest_files (
    file_id bigint, path text, version_step bigint, size_bytes bigint, modified_at timestamptz,
    fingerprint bigint, bytes_done bigint, records_done bigint, num_bytes bigint,
    num_filtered bigint,
    sample_key bigint, state text, inode bigint, checked_key bigint, columns_moved bigint,
    change_stamp bigint, edge_sum bigint, fresh bigint) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE ingest_left_out (
    file_id bigint, reason text, wanted bigint, num_records bigint, num_files bigint,
    lost_bytes bigint, num_members bigint, first_record bigint, first_reason text) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE ingest_replaced (segment_id bigint) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE ingest_moved (sample_key bigint, position bigint) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE ingest_buried (sample_key bigint, is_gap bigint) ON COMMIT DELETE ROWS)";
constexpr char kStart[] = "SELECT 1 FROM storage.watermarks WHERE dataset_id = {} FOR UPDATE";
constexpr char kMergeFiles[] = R"(
  INSERT INTO storage.files (file_id, dataset_id, path, version, size_bytes, modified_at,
                             fingerprint, bytes_done, records_done, num_bytes, num_filtered,
                             sample_key, state, inode, checked_key, columns_moved, change_stamp,
                             edge_sum)
  SELECT file_id, {0}, path, version_step, size_bytes, modified_at, fingerprint, bytes_done,
         records_done, num_bytes, num_filtered, sample_key, state, inode, checked_key,
         columns_moved = 1, change_stamp, edge_sum
  FROM ingest_files
  ON CONFLICT (dataset_id, path) DO UPDATE
  SET version = files.version + excluded.version, size_bytes = excluded.size_bytes,
      modified_at = excluded.modified_at, fingerprint = excluded.fingerprint,
      bytes_done = excluded.bytes_done, records_done = excluded.records_done,
      num_bytes = excluded.num_bytes,
      num_filtered = excluded.num_filtered +
                     CASE WHEN excluded.version = 0 THEN files.num_filtered ELSE 0 END,
      sample_key = excluded.sample_key, state = excluded.state,
      inode = excluded.inode, checked_key = excluded.checked_key,
      columns_moved = excluded.columns_moved, change_stamp = excluded.change_stamp,
      edge_sum = excluded.edge_sum;
  DELETE FROM storage.quarantine USING ingest_files
  WHERE quarantine.dataset_id = {0} AND quarantine.path = ingest_files.path
    AND (fresh = 1 OR is_remark);
  DELETE FROM storage.left_out USING ingest_files
  WHERE left_out.file_id = ingest_files.file_id
    AND (fresh = 1 OR (num_records = 0 AND num_files = 0 AND lost_bytes = 0)))";
constexpr char kMergeLeftOut[] = R"(
  INSERT INTO storage.left_out (file_id, reason, wanted, dataset_id, num_records, num_files,
                                lost_bytes, num_members, first_record, first_reason)
  SELECT file_id, reason, wanted = 1, {}, num_records, num_files, lost_bytes, num_members,
         first_record, first_reason
  FROM ingest_left_out
  ON CONFLICT (file_id, reason, wanted) DO UPDATE
  SET num_records = left_out.num_records + excluded.num_records,
      num_files = left_out.num_files + excluded.num_files,
      lost_bytes = left_out.lost_bytes + excluded.lost_bytes,
      num_members = left_out.num_members + excluded.num_members)";
constexpr char kDropReplaced[] = R"(
  DELETE FROM storage.segments USING ingest_replaced
  WHERE segments.segment_id = ingest_replaced.segment_id)";
constexpr char kMove[] = R"(
  UPDATE storage.samples_{} AS samples SET position = moved.position
  FROM ingest_moved AS moved
  WHERE samples.sample_key = moved.sample_key
    AND samples.position IS DISTINCT FROM moved.position
    AND samples.sample_key BETWEEN {} AND {})";
constexpr char kBury[] = R"(
  INSERT INTO storage.tombstones (dataset_id, sample_key, is_gap)
  SELECT {}, sample_key, is_gap = 1 FROM ingest_buried ORDER BY sample_key
  ON CONFLICT (dataset_id, sample_key) DO NOTHING)";
constexpr char kForgetUnlabelled[] =
    "UPDATE storage.segments SET num_unlabelled = num_unlabelled - {} WHERE segment_id = {}";
// Samples that a version ingests while it takes over keys become visible when the takeover ends.
constexpr char kMoveWatermark[] = R"(
  UPDATE storage.watermarks
  SET allocated_key = {0},
      committed_key = CASE WHEN EXISTS (SELECT 1 FROM storage.datasets
                                        WHERE dataset_id = {1} AND predecessor_id IS NOT NULL)
                           THEN committed_key ELSE {0} END
  WHERE dataset_id = {1})";

// Rows between two calls of `copied`.
constexpr int64_t kSlice = 1 << 16;

std::vector<int64_t> ReplacedSegments(const IngestBatch& batch) {
  std::vector<int64_t> ids;
  for (const RewrittenSegment& segment : batch.rewritten) ids.push_back(segment.old_segment_id);
  for (const NewSegment& segment : batch.added) {
    if (segment.old_segment_id) ids.push_back(*segment.old_segment_id);
  }
  return ids;
}

// Rows of a segment that are in their file and have no label.
int64_t NumUnlabelled(const SegmentRows& rows) {
  if (!rows.class_label.any_missing() || !rows.real_label.any_missing()) return 0;
  int64_t count = 0;
  for (size_t row = 0; row < rows.byte_from.size(); ++row) {
    const bool has_label = rows.class_label.IsValid(row) || rows.real_label.IsValid(row);
    if (!has_label && rows.byte_from[row] >= 0) ++count;
  }
  return count;
}

// A bit for each number.
std::vector<uint8_t> NotNegative(std::span<const int64_t> numbers) {
  std::vector<uint8_t> bits((numbers.size() + 7) / 8, 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) bits[i / 8] |= static_cast<uint8_t>(1U << i % 8);
  }
  return bits;
}

// The transaction of one batch.
class Transaction {
 public:
  Transaction(db::CopyWriter& copy, DatasetId dataset, const IngestBatch& batch,
              const std::function<void()>& copied)
      : copy_(copy), dataset_(dataset), batch_(batch), copied_(copied) {}

  absl::Status Run() {
    RETURN_IF_ERROR(copy_.Execute(fmt::format(kStart, dataset_.value)));
    RETURN_IF_FAILPOINT("storage.ingest_before_copy");
    RETURN_IF_ERROR(CopyFiles());
    RETURN_IF_ERROR(CopyQuarantine());
    RETURN_IF_ERROR(CopyLeftOut());
    RETURN_IF_ERROR(CopySegments());
    RETURN_IF_ERROR(CopySamples());
    RETURN_IF_FAILPOINT("storage.ingest_after_copy");
    RETURN_IF_ERROR(MoveSamples());
    RETURN_IF_ERROR(AddTombstones());
    return copy_.Execute(fmt::format(kMoveWatermark, batch_.committed_key, dataset_.value));
  }

 private:
  absl::Status CopyFiles() {
    RETURN_IF_ERROR(copy_.Open("ingest_files"));
    for (const FileRow& file : batch_.files) {
      copy_.BeginRow(18);
      copy_.Int64(file.id.value);
      copy_.Text(file.path);
      copy_.Int64(file.version_step);
      copy_.Int64(file.identity.size_bytes);
      copy_.Time(file.identity.modified_at());
      copy_.Int64(file.fingerprint);
      copy_.Int64(file.bytes_done);
      copy_.Int64(file.records_done);
      copy_.Int64(file.num_bytes);
      copy_.Int64(file.num_filtered);
      copy_.Int64(file.sample_key);
      copy_.Text(file.state);
      copy_.Int64(file.identity.inode);
      copy_.Int64(file.checked_key);
      copy_.Int64(file.columns_moved ? 1 : 0);
      copy_.Int64(file.change_stamp);
      copy_.Int64(file.edge_sum);
      copy_.Int64(file.fresh ? 1 : 0);
      RETURN_IF_ERROR(copy_.Flush());
    }
    RETURN_IF_ERROR(copy_.Close());
    return copy_.Execute(fmt::format(kMergeFiles, dataset_.value));
  }

  absl::Status CopyQuarantine() {
    if (batch_.quarantined.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(
        copy_.Open("storage.quarantine (dataset_id, path, position, reason, is_remark)"));
    for (const QuarantineRow& row : batch_.quarantined) {
      copy_.BeginRow(5);
      copy_.Int64(dataset_.value);
      copy_.Text(row.path);
      copy_.Int64(row.position);
      copy_.Text(row.reason);
      copy_.Bool(row.is_remark);
      RETURN_IF_ERROR(copy_.Flush());
    }
    return copy_.Close();
  }

  absl::Status CopyLeftOut() {
    if (batch_.left_out.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(copy_.Open("ingest_left_out"));
    for (const auto& [file, reason] : batch_.left_out) {
      copy_.BeginRow(9);
      copy_.Int64(file.value);
      copy_.Text(reason.pattern);
      copy_.Int64(reason.wanted ? 1 : 0);
      copy_.Int64(reason.num_records);
      copy_.Int64(reason.num_files);
      copy_.Int64(reason.lost_bytes);
      copy_.Int64(reason.num_members);
      copy_.Int64(reason.first_record);
      copy_.Text(reason.first_reason);
      RETURN_IF_ERROR(copy_.Flush());
    }
    RETURN_IF_ERROR(copy_.Close());
    return copy_.Execute(fmt::format(kMergeLeftOut, dataset_.value));
  }

  absl::Status CopySegments() {
    const std::vector<int64_t> replaced = ReplacedSegments(batch_);
    if (!replaced.empty()) {
      RETURN_IF_ERROR(copy_.Open("ingest_replaced"));
      for (const int64_t segment_id : replaced) {
        copy_.BeginRow(1);
        copy_.Int64(segment_id);
        RETURN_IF_ERROR(copy_.Flush());
      }
      RETURN_IF_ERROR(copy_.Close());
      RETURN_IF_ERROR(copy_.Execute(kDropReplaced));
    }
    RETURN_IF_ERROR(
        copy_.Open("storage.segments (segment_id, dataset_id, file_id, first_key, num_samples, "
                   "first_position, byte_from, byte_to, first_event_time, last_event_time, "
                   "num_unlabelled)"));
    for (const NewSegment& added : batch_.added) RETURN_IF_ERROR(CopySegment(added.segment));
    for (const RewrittenSegment& row : batch_.rewritten) RETURN_IF_ERROR(CopySegment(row.segment));
    return copy_.Close();
  }

  absl::Status CopySegment(const SegmentRow& segment) {
    const SegmentRows& rows = segment.rows;
    int64_t byte_from = 0, byte_to = 0;
    for (size_t i = 0; i < rows.byte_from.size(); ++i) {
      if (rows.byte_from[i] < 0) continue;
      byte_from = byte_to == 0 ? rows.byte_from[i] : std::min(byte_from, rows.byte_from[i]);
      byte_to = std::max(byte_to, rows.byte_to[i]);
    }
    const auto [first, last] = std::minmax_element(rows.event_time.begin(), rows.event_time.end());
    copy_.BeginRow(11);
    copy_.Int64(segment.segment_id);
    copy_.Int64(dataset_.value);
    copy_.Int64(segment.file ? std::optional(segment.file->value) : std::nullopt);
    copy_.Int64(segment.first_key);
    copy_.Int64(rows.num_rows());
    copy_.Int64(segment.first_position);
    copy_.Int64(byte_from);
    copy_.Int64(byte_to);
    copy_.Time(Timestamp{*first});
    copy_.Time(Timestamp{*last});
    copy_.Int64(NumUnlabelled(rows));
    return copy_.Flush();
  }

  absl::Status CopySamples() {
    if (batch_.added.empty()) return absl::OkStatus();
    // Into the partition itself: an ingest of one dataset takes no lock that others wait for.
    RETURN_IF_ERROR(
        copy_.Open(fmt::format("storage.samples_{} (dataset_id, sample_key, file_id, position, "
                               "class_label, real_label, event_time)",
                               dataset_.value)));
    for (const NewSegment& added : batch_.added) RETURN_IF_ERROR(CopyRows(added));
    return copy_.Close();
  }

  absl::Status CopyRows(const NewSegment& added) {
    const int64_t num_rows = added.segment.rows.num_rows();
    int64_t from = num_rows - std::ssize(added.positions);
    while (from < num_rows) {
      const int64_t to = std::min(num_rows, from + kSlice);
      RETURN_IF_ERROR(CopySlice(added, static_cast<size_t>(from), static_cast<size_t>(to)));
      num_copied_ += to - from;
      if (num_copied_ >= kSlice) {
        copied_();
        num_copied_ = 0;
      }
      from = to;
    }
    return absl::OkStatus();
  }

  absl::Status CopySlice(const NewSegment& added, size_t from, size_t to) {
    using db::CopyColumn;
    const SegmentRows& rows = added.segment.rows;
    const size_t num_old = static_cast<size_t>(rows.num_rows()) - added.positions.size();
    const auto slice = [&](std::span<const int64_t> column) {
      return CopyColumn::Int64(column.subspan(from, to - from));
    };
    const std::span<const int64_t> slice_positions =
        std::span(added.positions).subspan(from - num_old, to - from);
    const CopyColumn positions = CopyColumn::Int64(slice_positions);
    std::vector<uint8_t> has_record;
    if (added.has_gaps) has_record = NotNegative(slice_positions);
    const CopyColumn columns[] = {
        CopyColumn::Same(dataset_.value),
        CopyColumn::CountingFrom(added.segment.first_key + static_cast<int64_t>(from)),
        added.segment.file ? CopyColumn::Same(added.segment.file->value) : slice(rows.file_id),
        added.has_gaps ? positions.Where(has_record, 0) : positions,
        LabelColumn(rows.class_label, from, &CopyColumn::Int64),
        LabelColumn(rows.real_label, from, &CopyColumn::Double),
        CopyColumn::Times(std::span(rows.event_time).subspan(from))};
    return copy_.Rows(columns, static_cast<int64_t>(to - from));
  }

  template <typename T>
  static db::CopyColumn LabelColumn(const NullableValues<T>& labels, size_t from,
                                    db::CopyColumn (*make)(std::span<const T>)) {
    if (labels.all_missing()) return db::CopyColumn::Null();
    const db::CopyColumn column = make(labels.values().subspan(from));
    return labels.validity().empty() ? column : column.Where(labels.validity(), from);
  }

  absl::Status MoveSamples() {
    if (batch_.moved.empty()) return absl::OkStatus();
    int64_t least = batch_.moved.front().sample_key, most = least;
    RETURN_IF_ERROR(copy_.Open("ingest_moved"));
    for (const MovedSample& moved : batch_.moved) {
      least = std::min(least, moved.sample_key);
      most = std::max(most, moved.sample_key);
      copy_.BeginRow(2);
      copy_.Int64(moved.sample_key);
      copy_.Int64(moved.position);
      RETURN_IF_ERROR(copy_.Flush());
    }
    RETURN_IF_ERROR(copy_.Close());
    return copy_.Execute(fmt::format(kMove, dataset_.value, least, most));
  }

  absl::Status AddTombstones() {
    if (batch_.tombstones.empty() && batch_.gaps.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(copy_.Open("ingest_buried"));
    RETURN_IF_ERROR(CopyBuried(batch_.tombstones, /*is_gap=*/0));
    RETURN_IF_ERROR(CopyBuried(batch_.gaps, /*is_gap=*/1));
    RETURN_IF_ERROR(copy_.Close());
    for (const auto& [segment_id, count] : batch_.unlabelled_tombstones) {
      RETURN_IF_ERROR(copy_.Execute(fmt::format(kForgetUnlabelled, count, segment_id)));
    }
    return copy_.Execute(fmt::format(kBury, dataset_.value));
  }

  absl::Status CopyBuried(const std::vector<int64_t>& keys, int64_t is_gap) {
    for (const int64_t key : keys) {
      copy_.BeginRow(2);
      copy_.Int64(key);
      copy_.Int64(is_gap);
      RETURN_IF_ERROR(copy_.Flush());
    }
    return absl::OkStatus();
  }

  db::CopyWriter& copy_;
  const DatasetId dataset_;
  const IngestBatch& batch_;
  const std::function<void()>& copied_;
  int64_t num_copied_ = 0;  // Since it was called.
};

absl::Status GiveSegmentIds(db::Database& database, IngestBatch& batch) {
  const auto count = static_cast<int64_t>(batch.added.size() + batch.rewritten.size());
  std::vector<int64_t> ids;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    ids = files_table::NewSegmentIds(work, count);
    return absl::OkStatus();
  }));
  size_t next = 0;
  for (NewSegment& added : batch.added) added.segment.segment_id = ids[next++];
  for (RewrittenSegment& rewritten : batch.rewritten) rewritten.segment.segment_id = ids[next++];
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteColumnFiles(db::Database& database, const std::string& storage_folder,
                              DatasetId dataset, IngestBatch& batch) {
  if (batch.added.empty() && batch.rewritten.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(GiveSegmentIds(database, batch));
  std::vector<NewSegmentFile> files;
  const auto add = [&](const SegmentRow& segment) {
    files.push_back({segment.segment_id, &segment.rows});
  };
  for (const NewSegment& added : batch.added) add(added.segment);
  for (const RewrittenSegment& rewritten : batch.rewritten) add(rewritten.segment);
  return WriteNewSegmentFiles(storage_folder, dataset, files);
}

absl::StatusOr<std::unique_ptr<db::CopyWriter>> BeginIngest(const db::Database& database) {
  ASSIGN_OR_RETURN(std::unique_ptr<db::CopyWriter> copy,
                   db::CopyWriter::Begin(database.connection_string()));
  RETURN_IF_ERROR(copy->Execute(kCreateTables));
  RETURN_IF_ERROR(copy->Commit());
  RETURN_IF_ERROR(copy->BeginNext());
  return copy;
}

absl::Status CommitBatch(db::CopyWriter& copy, const std::string& storage_folder, DatasetId dataset,
                         const IngestBatch& batch, const std::function<void()>& copied) {
  RETURN_IF_ERROR(Transaction(copy, dataset, batch, copied).Run());
  RETURN_IF_FAILPOINT("storage.ingest_before_commit");
  RETURN_IF_ERROR(copy.Commit());
  FAILPOINT("storage.ingest_after_commit");
  // A reader that has mapped one keeps it; a reader that is about to does not find its segment, and
  // looks again.
  for (const int64_t segment_id : ReplacedSegments(batch)) {
    files::Remove(SegmentPath(storage_folder, dataset, segment_id)).IgnoreError();
  }
  return absl::OkStatus();
}

absl::Status RemoveOrphans(db::Database& database, const std::string& storage_folder,
                           DatasetId dataset) {
  const std::string folder = SegmentFolder(storage_folder, dataset);
  if (!files::Exists(folder)) return absl::OkStatus();
  std::vector<int64_t> ids;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    ids = files_table::SegmentIds(work, dataset);
    return absl::OkStatus();
  }));
  std::set<std::string> named;
  for (const int64_t id : ids) named.insert(SegmentPath(storage_folder, dataset, id));
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!named.contains(path)) RETURN_IF_ERROR(files::Remove(path));
  }
  if (error) return Unavailable("cannot list {}: {}", folder, error.message());
  return absl::OkStatus();
}

}  // namespace tidemill::storage
