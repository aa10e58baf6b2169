#include "storage/index/rebuild.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/files.h"
#include "storage/catalog/file_scan.h"
#include "storage/formats/format.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

namespace {

constexpr char kSamples[] = R"(
  SELECT file_id, position, class_label, real_label,
         (extract(epoch FROM event_time) * 1000000)::bigint
  FROM storage.samples
  WHERE dataset_id = $1 AND sample_key >= $2 AND sample_key < $3
  ORDER BY sample_key)";

struct Sample {
  FileId file;
  std::optional<int64_t> position;
  std::optional<int64_t> class_label;
  std::optional<double> real_label;
  int64_t event_time = 0;
};

struct Stored {
  files_table::Segment segment;
  std::vector<Sample> samples;
  std::map<FileId, files_table::KnownFile> files;
};

template <typename T>
std::optional<T> ValueOf(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<T>();
}

absl::StatusOr<Stored> Load(db::Database& database, DatasetId dataset, int64_t segment_id) {
  Stored stored;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) -> absl::Status {
    stored = {};
    const auto segment = files_table::FindSegment(work, dataset, segment_id);
    if (!segment) return NotFound("segment {} is unknown", segment_id);
    stored.segment = *segment;
    for (const pqxx::row& row : work.exec_params(kSamples, dataset.value, segment->first_key,
                                                 segment->first_key + segment->num_samples)) {
      const Sample sample{.file = {row[0].as<int64_t>()},
                          .position = ValueOf<int64_t>(row[1]),
                          .class_label = ValueOf<int64_t>(row[2]),
                          .real_label = ValueOf<double>(row[3]),
                          .event_time = row[4].as<int64_t>()};
      stored.samples.push_back(sample);
      // A sample that vanished needs nothing of its file, which may have vanished too.
      if (!sample.position || stored.files.contains(sample.file)) continue;
      if (const auto file = files_table::FindFile(work, sample.file)) {
        stored.files.emplace(sample.file, *file);
      }
    }
    return absl::OkStatus();
  }));
  return stored;
}

// NOT_FOUND would say that the dataset is unknown.
absl::Status MissingIsLost(const absl::Status& status) {
  return absl::IsNotFound(status) ? DataLoss("{}", std::string(status.message())) : status;
}

// Finds the records of a segment in one of its files. If the format allows it, reads only the part
// of the file that holds them.
absl::StatusOr<IndexedFile> FindRecords(FileSystem& source, const DatasetSpec& spec,
                                        const Format& format, const files_table::Segment& segment,
                                        const files_table::KnownFile& file) {
  FileInput input{.root = spec.path, .path = file.path.substr(spec.path.size() + 1)};
  ASSIGN_OR_RETURN(input.identity, source.IdentityOf(file.path));
  const bool grown = spec.append && input.identity.size_bytes >= file.size_bytes;
  const auto identity_of = [&](const std::string& path) { return source.IdentityOf(path); };
  if (!grown && FingerprintOf(spec, input, identity_of) != file.fingerprint) {
    return DataLoss("{} has changed since it was ingested", file.path);
  }
  if (format.ReadsInPieces()) {
    input.from_byte = segment.byte_from - format.LeadBytes();
    input.from_record = segment.first_position;
    input.max_bytes = segment.byte_to - input.from_byte;
  }
  return format.Index(input);
}

// The row of the record at a position; none if there is no such record.
std::optional<size_t> RowOf(const IndexedFile& found, std::optional<int64_t> position) {
  if (!position) return std::nullopt;
  const auto at = std::ranges::lower_bound(found.positions, *position);
  if (at == found.positions.end() || *at != *position) return std::nullopt;
  return at - found.positions.begin();
}

}  // namespace

absl::Status RebuildSegmentColumns(db::Database& database, UnpackedCache& files,
                                   const std::string& storage_folder, const DatasetSpec& spec,
                                   DatasetId dataset, int64_t segment_id) {
  ASSIGN_OR_RETURN(const Stored stored, Load(database, dataset, segment_id));
  if (std::ssize(stored.samples) != stored.segment.num_samples) {
    return Internal("segment {} has {} samples, but {} are stored", segment_id,
                    stored.segment.num_samples, stored.samples.size());
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Format> format, MakeFormat(spec, files));
  const bool one_file_a_sample = !stored.segment.file.has_value();
  std::map<FileId, IndexedFile> indexed;
  for (const auto& [id, file] : stored.files) {
    absl::StatusOr<IndexedFile> found =
        FindRecords(files.source(), spec, *format, stored.segment, file);
    // With one file a sample, the other files are still good.
    if (!found.ok() && !one_file_a_sample) return MissingIsLost(found.status());
    if (found.ok()) indexed.emplace(id, *std::move(found));
  }
  SegmentRows rows;
  for (const Sample& sample : stored.samples) {
    const IndexedFile& found = indexed[sample.file];
    const std::optional<size_t> row = RowOf(found, sample.position);
    rows.byte_from.push_back(row ? found.rows.byte_from[*row] : -1);
    rows.byte_to.push_back(row ? found.rows.byte_to[*row] : -1);
    rows.hash.push_back(row ? found.rows.hash[*row] : 0);
    rows.event_time.push_back(sample.event_time);
    rows.class_label.push_back(sample.class_label);
    rows.real_label.push_back(sample.real_label);
    if (one_file_a_sample) rows.file_id.push_back(sample.file.value);
  }
  return WriteSegmentColumns(SegmentPath(storage_folder, dataset, segment_id), rows);
}

}  // namespace tidemill::storage
