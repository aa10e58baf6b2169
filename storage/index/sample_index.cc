#include "storage/index/sample_index.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"
#include "base/metrics.h"
#include "storage/index/rebuild.h"
#include "storage/index/sample_index_table.h"
#include "storage/segments/sum_upgrade.h"

namespace tidemill::storage {

namespace {

// A segment may be replaced between reading its row and opening its columns.
constexpr int kMaxAttempts = 3;

IndexStamp StampOf(const DatasetIndexParts& parts) {
  IndexStamp stamp{.committed_key = parts.committed_key,
                   .tombstone_sequence = parts.tombstone_sequence,
                   .num_segments = static_cast<int64_t>(parts.segments.size())};
  for (const IndexedSegment& segment : parts.segments) {
    stamp.last_segment_id = std::max(stamp.last_segment_id, segment.segment_id);
  }
  return stamp;
}

FileId LastFileOf(const FilePaths& paths) {
  FileId last;
  for (const auto& [file, path] : paths) last = std::max(last, file);
  return last;
}

std::shared_ptr<const Tombstones> Extended(std::shared_ptr<const Tombstones> before,
                                           const std::vector<TombstoneRecord>& added) {
  if (added.empty()) return before;
  auto tombstones = std::make_shared<Tombstones>(*before);
  for (const TombstoneRecord& record : added) (*tombstones)[record.key] = record.sequence;
  return tombstones;
}

std::shared_ptr<const FilePaths> Extended(std::shared_ptr<const FilePaths> before,
                                          std::vector<FileRecord> added) {
  if (added.empty()) return before;
  auto paths = std::make_shared<FilePaths>(*before);
  for (FileRecord& record : added) (*paths)[record.file] = std::move(record.path);
  return paths;
}

using MappedColumns = absl::flat_hash_map<int64_t, std::shared_ptr<const SegmentColumns>>;

MappedColumns ColumnsOf(const DatasetIndex* index) {
  MappedColumns mapped;
  if (index == nullptr) return mapped;
  for (const IndexedSegment& segment : index->parts().segments) {
    mapped[segment.segment_id] = segment.columns;
  }
  return mapped;
}

}  // namespace

std::shared_ptr<SampleIndex::Slot> SampleIndex::SlotOf(DatasetId dataset) {
  MutexLock lock(mutex_);
  std::shared_ptr<Slot>& slot = slots_[dataset];
  if (slot == nullptr) slot = std::make_shared<Slot>();
  return slot;
}

void SampleIndex::Forget(DatasetId dataset) {
  MutexLock lock(mutex_);
  slots_.erase(dataset);
}

absl::StatusOr<std::shared_ptr<const DatasetIndex>> SampleIndex::Get(DatasetId dataset) {
  const std::shared_ptr<Slot> slot = SlotOf(dataset);
  {
    MutexLock lock(slot->mutex);
    if (slot->current != nullptr) return slot->current;
  }
  return Refresh(dataset);
}

std::shared_ptr<const DatasetIndex> SampleIndex::Loaded(DatasetId dataset) {
  std::shared_ptr<Slot> slot;
  {
    MutexLock lock(mutex_);
    const auto found = slots_.find(dataset);
    if (found == slots_.end()) return nullptr;
    slot = found->second;
  }
  MutexLock lock(slot->mutex);
  return slot->current;
}

absl::StatusOr<std::shared_ptr<const DatasetIndex>> SampleIndex::Refresh(DatasetId dataset) {
  const std::shared_ptr<Slot> slot = SlotOf(dataset);
  MutexLock refreshing(slot->refreshing);
  std::shared_ptr<const DatasetIndex> before;
  {
    MutexLock lock(slot->mutex);
    before = slot->current;
  }
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> loaded = Load(dataset, before);
  for (int attempt = 1; absl::IsNotFound(loaded.status()) && attempt < kMaxAttempts; ++attempt) {
    loaded = Load(dataset, before);
  }
  if (absl::IsNotFound(loaded.status())) Forget(dataset);
  RETURN_IF_ERROR(loaded.status());
  MutexLock lock(slot->mutex);
  slot->current = *loaded;
  return slot->current;
}

absl::StatusOr<std::shared_ptr<const DatasetIndex>> SampleIndex::RefreshWhole(DatasetId dataset) {
  for (int attempt = 1;; ++attempt) {
    ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index, Refresh(dataset));
    if (index->AllAreSound()) return index;
    if (attempt == kMaxAttempts) return DamagedColumns(dataset);
  }
}

absl::Status SampleIndex::RefreshAll() {
  std::vector<DatasetId> loaded;
  {
    MutexLock lock(mutex_);
    for (const auto& [dataset, slot] : slots_) loaded.push_back(dataset);
  }
  absl::Status first;
  for (const DatasetId dataset : loaded) {
    const absl::Status status = Refresh(dataset).status();
    if (!absl::IsNotFound(status)) first.Update(status);  // Deleted in the meantime.
  }
  return first;
}

absl::StatusOr<std::shared_ptr<const DatasetIndex>> SampleIndex::GetAtLeast(
    const DatasetSnapshot& snapshot) {
  const auto covers = [&](const DatasetIndex& index) {
    return index.committed_key() >= snapshot.committed_key &&
           index.tombstone_sequence() >= snapshot.tombstone_sequence;
  };
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index, Get(snapshot.dataset));
  if (covers(*index)) return index;
  ASSIGN_OR_RETURN(index, Refresh(snapshot.dataset));
  if (covers(*index)) return index;
  return FailedPrecondition(
      "dataset {} is at key {}, tombstone {}; the snapshot is at key {}, tombstone {}",
      snapshot.dataset.value, index->committed_key(), index->tombstone_sequence(),
      snapshot.committed_key, snapshot.tombstone_sequence);
}

absl::StatusOr<std::shared_ptr<const DatasetIndex>> SampleIndex::Load(
    DatasetId dataset, const std::shared_ptr<const DatasetIndex>& before) {
  std::optional<IndexStamp> stamp;
  DatasetIndexParts parts{.dataset = dataset};
  if (before != nullptr) {
    // A damaged one is read again in full.
    if (!before->is_damaged()) stamp = StampOf(before->parts());
    parts.tombstones = before->parts().tombstones;
    parts.paths = before->parts().paths;
  }
  ASSIGN_OR_RETURN(IndexRecords records,
                   ReadIndexRecords(database_, dataset, stamp, LastFileOf(*parts.paths)));
  if (records.stamp == stamp) return before;
  ASSIGN_OR_RETURN(const DatasetEntry entry, catalog_.Find(dataset));
  parts.spec = entry.spec;
  parts.committed_key = records.stamp.committed_key;
  parts.tombstone_sequence = records.stamp.tombstone_sequence;
  parts.tombstones = Extended(std::move(parts.tombstones), records.tombstones);
  parts.paths = Extended(std::move(parts.paths), std::move(records.files));
  const MappedColumns mapped = ColumnsOf(before.get());
  int64_t num_upgraded = 0;
  for (const SegmentRecord& record : records.segments) {
    IndexedSegment segment{.segment_id = record.segment_id,
                           .file = record.file,
                           .first_key = record.first_key,
                           .num_samples = record.num_samples};
    const auto known = mapped.find(record.segment_id);
    if (known == mapped.end()) {
      ASSIGN_OR_RETURN(segment.columns, OpenColumns(entry, record.segment_id, num_upgraded));
    } else if (known->second->is_damaged()) {
      ASSIGN_OR_RETURN(segment.columns,
                       MakeColumnsAgain(entry, record.segment_id, "it is damaged"));
    } else {
      segment.columns = known->second;
    }
    if (segment.columns->num_rows() != segment.num_samples ||
        (!segment.file.has_value() && segment.columns->file_id.empty())) {
      return DataLoss("segment {} of dataset {} has {} rows in its column file, not {}",
                      record.segment_id, dataset.value, segment.columns->num_rows(),
                      segment.num_samples);
    }
    parts.segments.push_back(std::move(segment));
  }
  if (num_upgraded > 0) {
    RETURN_IF_ERROR(SyncAddedSums(SegmentFolder(catalog_.options().folder, dataset)));
    log::Info(
        "column files of an earlier version have sums now",
        {{"dataset", std::to_string(dataset.value)}, {"files", std::to_string(num_upgraded)}});
  }
  return std::make_shared<const DatasetIndex>(std::move(parts), before.get());
}

absl::StatusOr<std::shared_ptr<const SegmentColumns>> SampleIndex::OpenColumns(
    const DatasetEntry& entry, int64_t segment_id, int64_t& num_upgraded) {
  const std::string path = SegmentPath(catalog_.options().folder, entry.id, segment_id);
  absl::StatusOr<SegmentColumns> columns = OpenSegmentColumns(path);
  if (columns.ok() && !columns->has_sums) {
    const absl::Status added = AddSums(path, *columns);
    if (added.ok()) {
      ++num_upgraded;
      columns = OpenSegmentColumns(path);
    } else if (absl::IsDataLoss(added)) {
      columns = added;
    } else {
      log::Warn("a column file is used without sums",
                {{"path", path}, {"error", added.ToString()}});
    }
  }
  if (!columns.ok()) {
    return MakeColumnsAgain(entry, segment_id, std::string(columns.status().message()));
  }
  return std::make_shared<const SegmentColumns>(*std::move(columns));
}

absl::StatusOr<std::shared_ptr<const SegmentColumns>> SampleIndex::MakeColumnsAgain(
    const DatasetEntry& entry, int64_t segment_id, const std::string& why) {
  static metrics::Counter& made_again = metrics::Process().AddCounter(
      {"storage_column_files_made_again", "",
       "Column files of segments that were lost or damaged, and made again."});
  const std::string& folder = catalog_.options().folder;
  const std::string path = SegmentPath(folder, entry.id, segment_id);
  log::Warn("rebuilding a column file", {{"path", path}, {"error", why}});
  const absl::Status rebuilt =
      RebuildSegmentColumns(database_, files_, folder, entry.spec, entry.id, segment_id);
  if (absl::IsDataLoss(rebuilt)) {
    return DataLoss("the column file {} is lost or damaged ({}) and cannot be rebuilt: {}", path,
                    why, std::string(rebuilt.message()));
  }
  RETURN_IF_ERROR(rebuilt);
  made_again.Add();
  {
    MutexLock lock(mutex_);
    ++num_made_again_[entry.id];
  }
  ASSIGN_OR_RETURN(SegmentColumns columns, OpenSegmentColumns(path));
  return std::make_shared<const SegmentColumns>(std::move(columns));
}

absl::Status SampleIndex::CheckColumns(const DatasetIndex& index, const IndexedSegment& segment) {
  const std::string path =
      SegmentPath(catalog_.options().folder, index.dataset(), segment.segment_id);
  absl::Status status = CheckSegmentColumns(path);
  if (status.ok()) return status;
  // A segment that was replaced since then has no file any more, and needs none.
  if (!absl::IsNotFound(status) && !absl::IsDataLoss(status)) return status;
  segment.columns->health.SetDamaged();
  return Refresh(index.dataset()).status();
}

int64_t SampleIndex::NumMadeAgain(DatasetId dataset) {
  MutexLock lock(mutex_);
  const auto found = num_made_again_.find(dataset);
  return found == num_made_again_.end() ? 0 : found->second;
}

}  // namespace tidemill::storage
