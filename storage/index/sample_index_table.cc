#include "storage/index/sample_index_table.h"

namespace tidemill::storage {

namespace {

constexpr char kReadOneState[] = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

constexpr char kSelectStamp[] = R"(
  SELECT committed_key,
         (SELECT coalesce(max(sequence), 0) FROM storage.tombstones WHERE dataset_id = $1),
         (SELECT count(*) FROM storage.segments WHERE dataset_id = $1),
         (SELECT coalesce(max(segment_id), 0) FROM storage.segments WHERE dataset_id = $1)
  FROM storage.watermarks
  WHERE dataset_id = $1)";

constexpr char kSelectSegments[] = R"(
  SELECT segment_id, file_id, first_key, num_samples
  FROM storage.segments
  WHERE dataset_id = $1
  ORDER BY first_key)";

constexpr char kSelectTombstones[] = R"(
  SELECT sequence, sample_key
  FROM storage.tombstones
  WHERE dataset_id = $1 AND sequence > $2)";

constexpr char kSelectFiles[] = R"(
  SELECT file_id, path
  FROM storage.files
  WHERE dataset_id = $1 AND file_id > $2)";

IndexStamp ToStamp(const pqxx::row& row) {
  return {.committed_key = row[0].as<int64_t>(),
          .tombstone_sequence = row[1].as<int64_t>(),
          .num_segments = row[2].as<int64_t>(),
          .last_segment_id = row[3].as<int64_t>()};
}

SegmentRecord ToSegment(const pqxx::row& row) {
  SegmentRecord segment{.segment_id = row[0].as<int64_t>(),
                        .first_key = row[2].as<int64_t>(),
                        .num_samples = row[3].as<int64_t>()};
  if (!row[1].is_null()) segment.file = FileId{row[1].as<int64_t>()};
  return segment;
}

}  // namespace

absl::StatusOr<IndexRecords> ReadIndexRecords(db::Database& database, DatasetId dataset,
                                              const std::optional<IndexStamp>& before,
                                              FileId last_file) {
  IndexRecords records;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) -> absl::Status {
    records = {};
    work.exec(kReadOneState);
    const pqxx::result stamp = work.exec_params(kSelectStamp, dataset.value);
    if (stamp.empty()) return NotFound("dataset {} is unknown", dataset.value);
    records.stamp = ToStamp(stamp[0]);
    if (records.stamp == before) return absl::OkStatus();
    for (const pqxx::row& row : work.exec_params(kSelectSegments, dataset.value)) {
      records.segments.push_back(ToSegment(row));
    }
    const int64_t sequence = before.has_value() ? before->tombstone_sequence : 0;
    for (const pqxx::row& row : work.exec_params(kSelectTombstones, dataset.value, sequence)) {
      records.tombstones.push_back({row[0].as<int64_t>(), row[1].as<int64_t>()});
    }
    for (const pqxx::row& row : work.exec_params(kSelectFiles, dataset.value, last_file.value)) {
      records.files.push_back({{row[0].as<int64_t>()}, row[1].as<std::string>()});
    }
    return absl::OkStatus();
  }));
  return records;
}

}  // namespace tidemill::storage
