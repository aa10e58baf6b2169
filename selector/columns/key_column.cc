#include "selector/columns/key_column.h"

#include <algorithm>
#include <utility>

namespace tidemill::selector {
namespace {

constexpr size_t kBlockKeys = LargePages<int64_t>::kPageBytes / sizeof(int64_t);

std::string_view BytesOf(std::span<const int64_t> keys) {
  return {reinterpret_cast<const char*>(keys.data()), keys.size_bytes()};
}

}  // namespace

KeyColumn::KeyColumn(std::string folder, int64_t memory_budget)
    : folder_(std::move(folder)),
      max_blocks_(std::max<size_t>(
          1, static_cast<size_t>(memory_budget) / (kBlockKeys * sizeof(int64_t)))) {}

absl::Status KeyColumn::Append(std::span<const int64_t> keys) {
  size_ += std::ssize(keys);
  while (!keys.empty()) {
    if (blocks_.size() < max_blocks_ && (blocks_.empty() || blocks_.back().size() == kBlockKeys)) {
      blocks_.emplace_back().reserve(kBlockKeys);
    }
    const bool in_memory = blocks_.back().size() < kBlockKeys;
    if (!in_memory && last_.size() == kBlockKeys) RETURN_IF_ERROR(Spill());
    const size_t held = in_memory ? blocks_.back().size() : last_.size();
    const auto taken = keys.first(std::min(keys.size(), kBlockKeys - held));
    if (in_memory) {
      blocks_.back().insert(blocks_.back().end(), taken.begin(), taken.end());
    } else {
      last_.insert(last_.end(), taken.begin(), taken.end());
    }
    keys = keys.subspan(taken.size());
  }
  return absl::OkStatus();
}

absl::Status KeyColumn::Spill() {
  if (file_ == nullptr) {
    ASSIGN_OR_RETURN(file_, TemporaryFile::Create(folder_));
  }
  RETURN_IF_ERROR(file_->WriteAt(in_file_ * static_cast<int64_t>(sizeof(int64_t)), BytesOf(last_)));
  in_file_ += std::ssize(last_);
  last_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::span<const int64_t>> KeyColumn::PieceAt(int64_t first,
                                                            std::vector<int64_t>& read) const {
  const auto block = static_cast<size_t>(first) / kBlockKeys;
  const size_t within = static_cast<size_t>(first) % kBlockKeys;
  // All blocks before the last one are full.
  if (block < blocks_.size()) return std::span<const int64_t>(blocks_[block]).subspan(within);
  const int64_t at = first - static_cast<int64_t>(blocks_.size() * kBlockKeys);
  if (at >= in_file_)
    return std::span<const int64_t>(last_).subspan(static_cast<size_t>(at - in_file_));
  read.resize(std::min(static_cast<size_t>(in_file_ - at), kBlockKeys - within));
  RETURN_IF_ERROR(
      file_->ReadAt(at * static_cast<int64_t>(sizeof(int64_t)),
                    {reinterpret_cast<char*>(read.data()), read.size() * sizeof(int64_t)}));
  return std::span<const int64_t>(read);
}

absl::Status KeyColumn::ForEach(int64_t first, const Body& body) const {
  std::vector<int64_t> read;
  while (first < size_) {
    ASSIGN_OR_RETURN(const std::span<const int64_t> piece, PieceAt(first, read));
    RETURN_IF_ERROR(body(piece));
    first += std::ssize(piece);
  }
  return absl::OkStatus();
}

absl::Status KeyColumn::Take(std::span<const int64_t> rows, std::span<int64_t> keys) const {
  std::vector<int64_t> read;
  std::span<const int64_t> piece;
  int64_t first = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] - first >= std::ssize(piece)) {
      first = rows[i];
      ASSIGN_OR_RETURN(piece, PieceAt(first, read));
    }
    keys[i] = piece[static_cast<size_t>(rows[i] - first)];
  }
  return absl::OkStatus();
}

}  // namespace tidemill::selector
