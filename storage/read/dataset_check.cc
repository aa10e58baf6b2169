#include "storage/read/dataset_check.h"

#include <iterator>
#include <utility>

namespace tidemill::storage {

namespace {

constexpr size_t kKeysPerStep = 16'384;
constexpr int64_t kOpenFiles = 64;

int64_t CountLiving(const DatasetIndex& index) {
  int64_t living = index.num_rows();
  for (const auto& [key, sequence] : *index.parts().tombstones) {
    if (sequence <= index.tombstone_sequence() && index.Find(key).has_value()) --living;
  }
  return living;
}

}  // namespace

DatasetCheck::DatasetCheck(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                           UnpackedCache& files, int64_t block_bytes)
    : indexes_(indexes),
      index_(std::move(index)),
      files_(files, kOpenFiles),
      block_bytes_(block_bytes),
      num_samples_(CountLiving(*index_)) {}

std::vector<int64_t> DatasetCheck::NextKeys() {
  std::vector<int64_t> keys;
  for (; row_ < index_->num_rows() && keys.size() < kKeysPerStep; ++row_) {
    const int64_t key = index_->LocationOf(row_).key();
    if (!index_->IsDeleted(key, index_->tombstone_sequence())) keys.push_back(key);
  }
  return keys;
}

absl::Status DatasetCheck::Read(std::vector<int64_t> keys, std::vector<MissingKey>& damaged) {
  SampleBlockReader reader(indexes_, index_, files_, std::move(keys));
  while (true) {
    ASSIGN_OR_RETURN(std::optional<SampleBlock> block, reader.Next(block_bytes_));
    if (!block.has_value()) return absl::OkStatus();
    std::move(block->missing.begin(), block->missing.end(), std::back_inserter(damaged));
  }
}

// A sample that was deleted since the check began is gone, not damaged.
absl::Status DatasetCheck::DropDeleted(std::vector<MissingKey>& damaged) {
  if (damaged.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::shared_ptr<const DatasetIndex> newest,
                   indexes_.Refresh(index_->dataset()));
  std::erase_if(damaged, [&](const MissingKey& missing) {
    return newest->IsDeleted(missing.key, newest->tombstone_sequence());
  });
  return absl::OkStatus();
}

absl::Status DatasetCheck::CheckColumnFiles() {
  const std::vector<IndexedSegment>& segments = index_->parts().segments;
  while (num_segments_ < segments.size() && segments[num_segments_].first_row < row_) {
    RETURN_IF_ERROR(indexes_.CheckColumns(*index_, segments[num_segments_++]));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<DatasetCheck::Step>> DatasetCheck::Next() {
  std::vector<int64_t> keys = NextKeys();
  RETURN_IF_ERROR(CheckColumnFiles());
  if (keys.empty()) return std::optional<Step>();
  num_done_ += static_cast<int64_t>(keys.size());
  Step step{.num_done = num_done_, .num_samples = num_samples_, .damaged = {}};
  RETURN_IF_ERROR(Read(std::move(keys), step.damaged));
  RETURN_IF_ERROR(DropDeleted(step.damaged));
  step.num_column_files = static_cast<int64_t>(num_segments_);
  step.num_made_again = indexes_.NumMadeAgain(index_->dataset());
  return std::optional<Step>(std::move(step));
}

}  // namespace tidemill::storage
