#include "storage/catalog/files_table.h"

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::storage::files_table {

namespace {

constexpr char kListFiles[] = R"(
  SELECT file_id, path, size_bytes, fingerprint, bytes_done, records_done, sample_key, state,
         inode, checked_key, columns_moved, change_stamp, edge_sum
  FROM storage.files WHERE dataset_id = $1)";
constexpr char kFindFile[] = R"(
  SELECT file_id, path, size_bytes, fingerprint, bytes_done, records_done, sample_key, state,
         inode, checked_key, columns_moved, change_stamp, edge_sum
  FROM storage.files WHERE file_id = $1)";
constexpr char kTotalSize[] = R"(
  SELECT coalesce(sum(size_bytes), 0)::bigint
  FROM storage.files WHERE dataset_id = $1 AND state IN ('ingested', 'partial'))";
constexpr char kSizesOf[] =
    "SELECT file_id, size_bytes, num_filtered FROM storage.files WHERE file_id = ANY($1::bigint[])";
constexpr char kSegmentsOf[] = R"(
  SELECT segment_id, file_id, first_key, num_samples, first_position, byte_from, byte_to
  FROM storage.segments WHERE file_id = $1 ORDER BY first_key)";
constexpr char kSegmentWith[] = R"(
  SELECT segment_id, file_id, first_key, num_samples, first_position, byte_from, byte_to
  FROM storage.segments WHERE dataset_id = $1 AND first_key <= $2
  ORDER BY first_key DESC LIMIT 1)";
constexpr char kFindSegment[] = R"(
  SELECT segment_id, file_id, first_key, num_samples, first_position, byte_from, byte_to
  FROM storage.segments WHERE dataset_id = $1 AND segment_id = $2)";
constexpr char kSegmentIds[] =
    "SELECT segment_id FROM storage.segments WHERE dataset_id = $1 ORDER BY segment_id";
constexpr char kNewFileIds[] =
    "SELECT nextval('storage.file_ids') FROM generate_series(1, $1::bigint)";
constexpr char kNewSegmentIds[] =
    "SELECT nextval('storage.segment_ids') FROM generate_series(1, $1::bigint)";
constexpr char kSummarize[] = R"(
  SELECT sum(brin_summarize_new_values(pg_index.indexrelid))
  FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
  JOIN pg_am ON pg_am.oid = pg_class.relam AND pg_am.amname = 'brin'
  WHERE pg_index.indrelid = ('storage.samples_' || $1::bigint)::regclass)";

constexpr char kNumPages[] = R"(
  SELECT pg_relation_size('storage.samples_' || $1::bigint) /
         current_setting('block_size')::bigint)";
constexpr char kSummarizeFull[] = R"(
  SELECT sum(brin_summarize_range(pg_index.indexrelid, page))
  FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
  JOIN pg_am ON pg_am.oid = pg_class.relam AND pg_am.amname = 'brin',
  generate_series($2::bigint, $3::bigint - 1, $4::bigint) AS page
  WHERE pg_index.indrelid = ('storage.samples_' || $1::bigint)::regclass)";
// What PostgreSQL makes of an index without `pages_per_range`.
constexpr int64_t kPagesPerRange = 128;

KnownFile ToFile(const pqxx::row& row) {
  KnownFile file{.id = {row[0].as<int64_t>()},
                 .path = row[1].as<std::string>(),
                 .size_bytes = row[2].as<int64_t>(),
                 .fingerprint = row[3].as<int64_t>(),
                 .bytes_done = row[4].as<int64_t>(),
                 .records_done = row[5].as<int64_t>(),
                 .sample_key = std::nullopt,
                 .state = row[7].as<std::string>()};
  if (!row[6].is_null()) file.sample_key = row[6].as<int64_t>();
  if (!row[8].is_null()) file.inode = row[8].as<int64_t>();
  file.checked_key = row[9].as<int64_t>();
  file.columns_moved = row[10].as<bool>();
  if (!row[11].is_null()) file.change_stamp = row[11].as<int64_t>();
  if (!row[12].is_null()) file.edge_sum = row[12].as<int64_t>();
  return file;
}

Segment ToSegment(const pqxx::row& row) {
  Segment segment{.segment_id = row[0].as<int64_t>(),
                  .file = std::nullopt,
                  .first_key = row[2].as<int64_t>(),
                  .num_samples = row[3].as<int64_t>(),
                  .first_position = row[4].as<int64_t>(),
                  .byte_from = row[5].as<int64_t>(),
                  .byte_to = row[6].as<int64_t>()};
  if (!row[1].is_null()) segment.file = FileId{row[1].as<int64_t>()};
  return segment;
}

std::vector<int64_t> ToNumbers(const pqxx::result& rows) {
  std::vector<int64_t> numbers;
  for (const pqxx::row& row : rows) numbers.push_back(row[0].as<int64_t>());
  return numbers;
}

}  // namespace

std::vector<KnownFile> ListFiles(pqxx::work& work, DatasetId dataset) {
  std::vector<KnownFile> files;
  const pqxx::result rows = work.exec_params(kListFiles, dataset.value);
  files.reserve(static_cast<size_t>(rows.size()));
  for (const pqxx::row& row : rows) files.push_back(ToFile(row));
  // Here rather than by PostgreSQL, which would sort by its locale.
  std::ranges::sort(files, {}, &KnownFile::path);
  return files;
}

std::optional<KnownFile> FindFile(pqxx::work& work, FileId file) {
  const pqxx::result found = work.exec_params(kFindFile, file.value);
  if (found.empty()) return std::nullopt;
  return ToFile(found[0]);
}

int64_t TotalSize(pqxx::work& work, DatasetId dataset) {
  return work.exec_params1(kTotalSize, dataset.value)[0].as<int64_t>();
}

std::map<FileId, FileExtent> SizesOf(pqxx::work& work, const std::vector<FileId>& files) {
  std::vector<int64_t> ids;
  for (const FileId file : files) ids.push_back(file.value);
  // PostgreSQL's text form of an array, bound as one parameter.
  const std::string wanted = fmt::format("{{{}}}", fmt::join(ids, ","));
  std::map<FileId, FileExtent> sizes;
  for (const pqxx::row& row : work.exec_params(kSizesOf, wanted)) {
    sizes.emplace(FileId{row[0].as<int64_t>()}, FileExtent{.size_bytes = row[1].as<int64_t>(),
                                                           .num_filtered = row[2].as<int64_t>()});
  }
  return sizes;
}

std::vector<Segment> SegmentsOf(pqxx::work& work, FileId file) {
  std::vector<Segment> segments;
  for (const pqxx::row& row : work.exec_params(kSegmentsOf, file.value)) {
    segments.push_back(ToSegment(row));
  }
  return segments;
}

std::optional<Segment> SegmentWith(pqxx::work& work, DatasetId dataset, int64_t sample_key) {
  const pqxx::result found = work.exec_params(kSegmentWith, dataset.value, sample_key);
  if (found.empty()) return std::nullopt;
  const Segment segment = ToSegment(found[0]);
  if (sample_key >= segment.first_key + segment.num_samples) return std::nullopt;
  return segment;
}

std::optional<Segment> FindSegment(pqxx::work& work, DatasetId dataset, int64_t segment_id) {
  const pqxx::result found = work.exec_params(kFindSegment, dataset.value, segment_id);
  if (found.empty()) return std::nullopt;
  return ToSegment(found[0]);
}

std::vector<int64_t> SegmentIds(pqxx::work& work, DatasetId dataset) {
  return ToNumbers(work.exec_params(kSegmentIds, dataset.value));
}

std::vector<int64_t> NewFileIds(pqxx::work& work, int64_t count) {
  return ToNumbers(work.exec_params(kNewFileIds, count));
}

std::vector<int64_t> NewSegmentIds(pqxx::work& work, int64_t count) {
  return ToNumbers(work.exec_params(kNewSegmentIds, count));
}

int64_t SummarizeFull(pqxx::work& work, DatasetId dataset, int64_t from_page) {
  const auto num_pages = work.exec_params1(kNumPages, dataset.value)[0].as<int64_t>();
  const int64_t to_page = num_pages / kPagesPerRange * kPagesPerRange;
  if (to_page <= from_page) return from_page;
  work.exec_params(kSummarizeFull, dataset.value, from_page, to_page, kPagesPerRange);
  return to_page;
}

void Summarize(pqxx::work& work, DatasetId dataset) { work.exec_params(kSummarize, dataset.value); }

}  // namespace tidemill::storage::files_table
