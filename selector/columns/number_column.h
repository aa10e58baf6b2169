// Numbers in one piece that grow at their end: in memory when all of them fit, else in a mapped
// file, whose pages the system takes back when it needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/status.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

// The bytes of a NumberColumn. Thread-compatible.
class ByteColumn {
 public:
  // `folder`: where the file goes when `max_bytes` are more than `memory_budget`.
  ByteColumn(std::string folder, int64_t memory_budget, int64_t max_bytes);
  ~ByteColumn();
  ByteColumn(const ByteColumn&) = delete;
  ByteColumn& operator=(const ByteColumn&) = delete;

  // At most `max_bytes` in all: INTERNAL beyond.
  absl::Status Append(std::string_view bytes);
  // All that was appended; nothing may be appended afterwards. Valid as long as the column.
  absl::StatusOr<std::span<const char>> View();

 private:
  absl::Status Flush();

  const std::string folder_;
  const int64_t max_bytes_;
  const bool in_memory_;
  int64_t size_ = 0;
  // All bytes, or those that are not yet in the file.
  std::unique_ptr<char[]> memory_;
  int64_t held_ = 0;
  std::unique_ptr<TemporaryFile> file_;
  std::span<const char> mapped_;
};

// Thread-compatible.
template <typename T>
requires std::is_arithmetic_v<T>
class NumberColumn {
 public:
  NumberColumn(std::string folder, int64_t memory_budget, int64_t max_numbers)
      : bytes_(std::move(folder), memory_budget, max_numbers * static_cast<int64_t>(sizeof(T))) {}

  absl::Status Append(std::span<const T> numbers) {
    return bytes_.Append({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }
  absl::StatusOr<std::span<const T>> View() {
    ASSIGN_OR_RETURN(const std::span<const char> bytes, bytes_.View());
    return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  }

 private:
  ByteColumn bytes_;
};

}  // namespace tidemill::selector
