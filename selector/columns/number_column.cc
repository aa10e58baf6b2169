#include "selector/columns/number_column.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemill::selector {
namespace {

constexpr int64_t kWrittenAtOnce = int64_t{1} << 20;

}  // namespace

ByteColumn::ByteColumn(std::string folder, int64_t memory_budget, int64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes), in_memory_(max_bytes <= memory_budget) {}

ByteColumn::~ByteColumn() {
  if (mapped_.empty()) return;
  ::munmap(const_cast<char*>(mapped_.data()), mapped_.size());
}

absl::Status ByteColumn::Append(std::string_view bytes) {
  if (size_ + std::ssize(bytes) > max_bytes_) {
    return Internal("a column for {} bytes was given {} bytes", max_bytes_,
                    size_ + std::ssize(bytes));
  }
  size_ += std::ssize(bytes);
  const int64_t room = in_memory_ ? max_bytes_ : kWrittenAtOnce;
  if (memory_ == nullptr) {
    memory_ = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(room));
  }
  while (!bytes.empty()) {
    if (held_ == room) RETURN_IF_ERROR(Flush());
    const auto taken = bytes.substr(0, static_cast<size_t>(room - held_));
    std::memcpy(memory_.get() + held_, taken.data(), taken.size());
    held_ += std::ssize(taken);
    bytes.remove_prefix(taken.size());
  }
  return absl::OkStatus();
}

absl::Status ByteColumn::Flush() {
  if (file_ == nullptr) {
    ASSIGN_OR_RETURN(file_, TemporaryFile::Create(folder_));
  }
  // Held numbers follow the written ones.
  RETURN_IF_ERROR(file_->Append({memory_.get(), static_cast<size_t>(held_)}));
  held_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<std::span<const char>> ByteColumn::View() {
  if (in_memory_) return std::span<const char>(memory_.get(), static_cast<size_t>(size_));
  if (!mapped_.empty() || size_ == 0) return mapped_;
  RETURN_IF_ERROR(Flush());
  memory_.reset();
  ASSIGN_OR_RETURN(mapped_, file_->Map(size_));
  return mapped_;
}

}  // namespace tidemill::selector
