#include "storage/ingest/earlier_version.h"

#include <utility>

#include "storage/catalog/datasets_table.h"

namespace tidemill::storage {

absl::StatusOr<std::unique_ptr<EarlierVersion>> EarlierVersion::Open(db::Database& database,
                                                                     std::string storage_folder,
                                                                     DatasetId dataset) {
  std::unique_ptr<EarlierVersion> earlier(
      new EarlierVersion(database, std::move(storage_folder), dataset));
  std::vector<files_table::KnownFile> files;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    files = files_table::ListFiles(work, dataset);
    return absl::OkStatus();
  }));
  for (files_table::KnownFile& file : files) {
    if (file.state != "ingested" && file.state != "partial") continue;
    std::string path = file.path;
    earlier->files_.emplace(std::move(path), std::move(file));
  }
  return earlier;
}

const files_table::KnownFile* EarlierVersion::FileAt(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

absl::StatusOr<std::vector<OldSegment>> EarlierVersion::SegmentsOf(
    const files_table::KnownFile& file) const {
  return segments_.AllOf(file);
}

absl::StatusOr<std::vector<int64_t>> EarlierVersion::DeletedHashes() const {
  std::vector<int64_t> hashes;
  std::vector<SampleToDelete> deleted;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    hashes = datasets_table::DeletedRecordHashes(work, dataset_);
    deleted = datasets_table::DeletedOnRequest(work, dataset_, 0);
    return absl::OkStatus();
  }));
  for (const SampleToDelete& sample : deleted) {
    ASSIGN_OR_RETURN(const std::vector<OldSegment> held, segments_.With(sample.key));
    if (held.empty() || !held.front().columns) {
      return DataLoss(
          "sample {} was deleted on request, and its column file is damaged, so its record would "
          "not be recognised",
          sample.key);
    }
    const auto row = static_cast<size_t>(sample.key - held.front().segment.first_key);
    hashes.push_back(held.front().columns->lookup[row].hash);
  }
  return hashes;
}

}  // namespace tidemill::storage
