#include "storage/sample_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "storage/block_payloads.h"

namespace tidemill::storage {

namespace {

// A block is made again when the index has changed under it, but not for ever.
constexpr int kMaxAttempts = 3;

template <typename T>
batch::Column LabelColumn(std::string_view name, const LabelRows<T>& labels) {
  batch::Column column = batch::MakeColumn<T>(name, labels.values);
  if (labels.num_valid == labels.values.size()) return column;
  column.validity = batch::Buffer::Allocate(labels.validity.size());
  std::memcpy(column.validity.mutable_data(), labels.validity.data(), labels.validity.size());
  return column;
}

absl::StatusOr<batch::Batch> MakeBatch(const SampleRows& rows, BlockPayloads& payloads) {
  batch::Batch batch(static_cast<int64_t>(rows.num_rows()));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, rows.key)));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, rows.event_time)));
  RETURN_IF_ERROR(batch.Set(LabelColumn(batch::kClassLabelColumn, rows.class_label)));
  RETURN_IF_ERROR(batch.Set(LabelColumn(batch::kRealLabelColumn, rows.real_label)));
  batch::Column column{.name = std::string(batch::kPayloadColumn),
                       .type = batch::DataType::kBinary};
  column.data = std::move(payloads.bytes);
  column.offsets = std::move(payloads.offsets);
  RETURN_IF_ERROR(batch.Set(std::move(column)));
  if (payloads.lost.empty()) return batch;
  std::vector<int64_t> kept;
  size_t next_lost = 0;
  for (uint32_t row = 0; row < rows.num_rows(); ++row) {
    if (next_lost < payloads.lost.size() && payloads.lost[next_lost].first == row) {
      ++next_lost;
    } else {
      kept.push_back(row);
    }
  }
  return batch.Take(kept);
}

// Those that were not found and those that were not read, in the order asked.
std::vector<MissingKey> MissingOf(std::span<const int64_t> keys, SampleRows& rows,
                                  BlockPayloads& payloads) {
  std::vector<std::pair<size_t, std::string>> by_position;
  for (SampleRows::Problem& problem : rows.problems) {
    by_position.emplace_back(problem.position, std::move(problem.reason));
  }
  for (auto& [row, reason] : payloads.lost) {
    by_position.emplace_back(rows.position[row], std::move(reason));
  }
  std::sort(by_position.begin(), by_position.end());
  std::vector<MissingKey> missing;
  for (auto& [position, reason] : by_position) {
    missing.push_back({keys[position], std::move(reason)});
  }
  return missing;
}

// Whether a newer index might know better. What was deleted stays deleted.
bool MayBeFound(const SampleRows& rows, const BlockPayloads& payloads) {
  return !payloads.lost.empty() ||
         std::any_of(rows.problems.begin(), rows.problems.end(),
                     [](const SampleRows::Problem& problem) { return !problem.is_final; });
}

}  // namespace

SampleReader::SampleReader(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                           OpenFiles& files, std::vector<int64_t> keys, int64_t block_bytes)
    : indexes_(indexes),
      index_(std::move(index)),
      files_(files),
      keys_(std::move(keys)),
      limits_({.payload_bytes = block_bytes}),
      lookup_(std::make_unique<SampleLookup>(*index_)) {}

absl::StatusOr<std::optional<SampleBlock>> SampleReader::Next() {
  if (position_ == keys_.size()) return std::optional<SampleBlock>();
  ASSIGN_OR_RETURN(SampleBlock block, MakeBlock());
  position_ += rows_.num_keys;
  return std::optional<SampleBlock>(std::move(block));
}

absl::StatusOr<bool> SampleReader::Refresh() {
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> newer, indexes_.Refresh(index_->dataset()));
  if (newer == index_) return false;
  lookup_ = std::make_unique<SampleLookup>(*newer);
  index_ = std::move(newer);
  return true;
}

absl::StatusOr<SampleBlock> SampleReader::MakeBlock() {
  const std::span<const int64_t> keys = std::span(keys_).subspan(position_);
  for (int attempt = 1;; ++attempt) {
    lookup_->Find(keys, limits_, rows_);
    BlockPayloads payloads = ReadPayloads(*index_, files_, rows_, lookup_->record_bytes());
    if (attempt < kMaxAttempts && MayBeFound(rows_, payloads)) {
      ASSIGN_OR_RETURN(const bool is_newer, Refresh());
      if (is_newer) continue;
    }
    SampleBlock block;
    block.missing = MissingOf(keys, rows_, payloads);
    ASSIGN_OR_RETURN(block.batch, MakeBatch(rows_, payloads));
    return block;
  }
}

}  // namespace tidemill::storage
