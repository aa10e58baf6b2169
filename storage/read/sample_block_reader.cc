#include "storage/read/sample_block_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/usage/account.h"
#include "storage/gather/block_pool.h"
#include "storage/read/block_payloads.h"

namespace tidemill::storage {

namespace {

// A block is made again when the index has changed under it, but not forever.
constexpr int kMaxReads = 3;
// The bytes of a block's row besides its payload.
constexpr size_t kReplyRowBytes = 32;

// Into memory that was used before: the rows' own is filled again for the next block.
template <typename T>
batch::Column CopyColumn(std::string_view name, batch::DataType type,
                         const std::vector<T>& values) {
  batch::Column column{.name = std::string(name), .type = type};
  column.data = TakeBlock(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(column.data.mutable_data(), values.data(), values.size() * sizeof(T));
  }
  return column;
}

// A label that no row has is left out.
template <typename T>
absl::Status SetLabel(std::string_view name, batch::DataType type, const LabelRows<T>& labels,
                      batch::Batch& batch) {
  if (labels.num_valid == 0) return absl::OkStatus();
  batch::Column column = CopyColumn(name, type, labels.values);
  if (labels.num_valid < labels.values.size()) {
    column.validity = batch::Buffer::Allocate(labels.validity.size());
    std::memcpy(column.validity.mutable_data(), labels.validity.data(), labels.validity.size());
  }
  return batch.Set(std::move(column));
}

absl::StatusOr<batch::Batch> MakeBatch(const SampleRows& rows, BlockPayloads& payloads) {
  using batch::DataType;
  batch::Batch batch(static_cast<int64_t>(rows.num_rows()));
  RETURN_IF_ERROR(batch.Set(CopyColumn(batch::kKeyColumn, DataType::kInt64, rows.key)));
  RETURN_IF_ERROR(
      batch.Set(CopyColumn(batch::kEventTimeColumn, DataType::kInt64, rows.event_time)));
  RETURN_IF_ERROR(SetLabel(batch::kClassLabelColumn, DataType::kInt64, rows.class_label, batch));
  RETURN_IF_ERROR(SetLabel(batch::kRealLabelColumn, DataType::kFloat64, rows.real_label, batch));
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
  std::vector<std::pair<size_t, MissingKey>> by_position;
  for (SampleRows::Problem& problem : rows.problems) {
    by_position.emplace_back(problem.position,
                             MissingKey{keys[problem.position], std::move(problem.reason),
                                        /*deleted=*/problem.is_final});
  }
  for (auto& [row, reason] : payloads.lost) {
    const size_t position = rows.position[row];
    by_position.emplace_back(position, MissingKey{keys[position], std::move(reason)});
  }
  std::sort(by_position.begin(), by_position.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<MissingKey> missing;
  for (auto& [position, key] : by_position) missing.push_back(std::move(key));
  return missing;
}

// Whether a newer index might know better. Deleted samples stay deleted.
bool MayBeFound(const SampleRows& rows, const BlockPayloads& payloads) {
  return !payloads.lost.empty() ||
         std::any_of(rows.problems.begin(), rows.problems.end(),
                     [](const SampleRows::Problem& problem) { return !problem.is_final; });
}

}  // namespace

SampleBlockReader::SampleBlockReader(SampleIndex& indexes,
                                     std::shared_ptr<const DatasetIndex> index, OpenFiles& files,
                                     std::vector<int64_t> keys)
    : indexes_(indexes),
      index_(std::move(index)),
      files_(files),
      keys_(std::move(keys)),
      lookup_(std::make_unique<SampleLookup>(*index_)) {}

absl::StatusOr<std::optional<SampleBlock>> SampleBlockReader::Next(int64_t block_bytes) {
  if (position_ == keys_.size()) return std::optional<SampleBlock>();
  // Owned by the thread, not by the request: a request whose reader is stuck must not keep it.
  static thread_local SampleRows rows;
  BlockLimits limits{.payload_bytes = block_bytes};
  limits.max_keys =
      std::clamp<size_t>(static_cast<size_t>(block_bytes) / kReplyRowBytes, 1, limits.max_keys);
  ASSIGN_OR_RETURN(SampleBlock block, MakeBlock(limits, rows));
  position_ += rows.num_keys;
  return std::optional<SampleBlock>(std::move(block));
}

absl::StatusOr<bool> SampleBlockReader::Refresh() {
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> newer, indexes_.Refresh(index_->dataset()));
  if (newer == index_) return false;
  lookup_ = std::make_unique<SampleLookup>(*newer);
  index_ = std::move(newer);
  return true;
}

absl::StatusOr<SampleBlock> SampleBlockReader::MakeBlock(const BlockLimits& limits,
                                                         SampleRows& rows) {
  const std::span<const int64_t> keys = std::span(keys_).subspan(position_);
  for (int attempt = 1;; ++attempt) {
    lookup_->Find(keys, limits, rows);
    BlockPayloads payloads = ReadPayloads(*index_, files_, rows, lookup_->record_bytes());
    if (attempt < kMaxReads && MayBeFound(rows, payloads)) {
      ASSIGN_OR_RETURN(const bool is_newer, Refresh());
      if (is_newer) continue;
    }
    if (!payloads.lost.empty()) {
      RETURN_IF_ERROR(Annotate(files_.CheckFolder(index_->spec().path), "no sample can be read"));
    }
    usage::Add({.bytes_read = static_cast<int64_t>(payloads.bytes.size())});
    SampleBlock block;
    block.missing = MissingOf(keys, rows, payloads);
    ASSIGN_OR_RETURN(block.batch, MakeBatch(rows, payloads));
    return block;
  }
}

}  // namespace tidemill::storage
