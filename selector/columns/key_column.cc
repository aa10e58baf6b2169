#include "selector/columns/key_column.h"

#include <algorithm>
#include <utility>

namespace tidemill::selector {
namespace {

constexpr size_t kBlockKeys = size_t{1} << 17;  // 1 MiB.

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
    Block& block = in_memory ? blocks_.back() : last_;
    const auto taken = keys.first(std::min(keys.size(), kBlockKeys - block.size()));
    block.insert(block.end(), taken.begin(), taken.end());
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

absl::Status KeyColumn::ForEach(int64_t first, const Body& body) const {
  const auto give = [&](std::span<const int64_t> keys) {
    const auto skipped = std::min<int64_t>(first, std::ssize(keys));
    first -= skipped;
    keys = keys.subspan(static_cast<size_t>(skipped));
    return keys.empty() ? absl::OkStatus() : body(keys);
  };
  for (const Block& block : blocks_) RETURN_IF_ERROR(give(block));
  int64_t at = std::min(first, in_file_);
  first -= at;
  Block read;
  for (; at < in_file_; at += std::ssize(read)) {
    read.resize(static_cast<size_t>(std::min<int64_t>(in_file_ - at, kBlockKeys)));
    RETURN_IF_ERROR(
        file_->ReadAt(at * static_cast<int64_t>(sizeof(int64_t)),
                      {reinterpret_cast<char*>(read.data()), read.size() * sizeof(int64_t)}));
    RETURN_IF_ERROR(body(read));
  }
  return give(last_);
}

}  // namespace tidemill::selector
