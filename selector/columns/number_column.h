// Numbers in one contiguous piece that grows at its end. They are held in memory when all of them
// fit. Otherwise they are in a mapped file, whose pages the system takes back when it needs them.
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
  // `folder` is where the file goes when `max_bytes` is more than `memory_budget`.
  ByteColumn(std::string folder, int64_t memory_budget, int64_t max_bytes);
  ~ByteColumn();
  ByteColumn(const ByteColumn&) = delete;
  ByteColumn& operator=(const ByteColumn&) = delete;

  // Appends bytes. INTERNAL when there would be more than `max_bytes` in all.
  absl::Status Append(std::string_view bytes);
  // Returns all bytes appended. Nothing may be appended afterwards. The view is valid as long as
  // the column is.
  absl::StatusOr<std::span<const char>> View();

 private:
  absl::Status Flush();

  const std::string folder_;
  const int64_t max_bytes_;
  const bool in_memory_;
  int64_t size_ = 0;
  // All bytes, or those that are not in the file yet.
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
