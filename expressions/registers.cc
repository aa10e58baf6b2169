#include "expressions/registers.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tidemill::expressions {

char* TextArena::Allocate(size_t size) {
  if (is_full_ || size > most_ - num_bytes_) {
    is_full_ = true;
    return nullptr;
  }
  return Take(size);
}

char* TextArena::AllocateRoom(size_t size) { return is_full_ ? nullptr : Take(size); }

char* TextArena::Take(size_t size) {
  constexpr size_t kChunkBytes = 16 << 10;
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < size) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    const size_t bytes = std::max(size, kChunkBytes);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(bytes), bytes});
  }
  char* const begin = &chunks_[chunk_].bytes[used_];
  used_ += size;
  num_bytes_ += size;
  return begin;
}

void TextArena::GiveBack(size_t size) {
  TIDEMILL_DCHECK(size <= used_);
  used_ -= size;
  num_bytes_ -= size;
  if (num_bytes_ > most_) is_full_ = true;
}

std::string_view TextArena::Copy(std::string_view text) {
  if (text.empty()) return "";
  char* const bytes = Allocate(text.size());
  if (bytes == nullptr) return {};
  std::memcpy(bytes, text.data(), text.size());
  return {bytes, text.size()};
}

void TextArena::Clear() {
  // A block of long texts must not hold its memory for as long as the expression exists.
  constexpr size_t kMaxKeptBytes = 1 << 20;
  size_t kept = 0;
  for (const Chunk& chunk : chunks_) kept += chunk.size;
  if (kept > kMaxKeptBytes) chunks_.clear();
  chunk_ = 0;
  used_ = 0;
  num_bytes_ = 0;
  is_full_ = false;
}

Registers::Registers(const Program& program) : values_(program.value_bytes.size()) {
  for (size_t i = program.inputs.size(); i < values_.size(); ++i) {
    const size_t bytes = program.value_bytes[i] * static_cast<size_t>(kBlockRows);
    owned_.push_back(std::make_unique<std::byte[]>(bytes));
    values_[i] = owned_.back().get();
  }
}

}  // namespace tidemill::expressions
