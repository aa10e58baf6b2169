// A table whose rows are found by their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "transform/ops/tables/lookup_table.h"

namespace tidemill::transform {

// A key in the form of the bytes by which it is found. The bytes of several columns are joined; a
// single text is its own bytes. Reuses its memory. Thread-compatible.
class KeyBytes {
 public:
  explicit KeyBytes(size_t num_parts) : alone_(num_parts == 1) {}

  // Clear() begins a key; the methods below add its parts in their order.
  void Clear() { bytes_.clear(); }
  void Add(std::string_view text);
  void Add(int64_t number);

  // Valid until the next change.
  std::string_view view() const { return bytes_; }

 private:
  const bool alone_;
  std::string bytes_;
};

// Immutable, so thread-safe.
class JoinedTable {
 public:
  // The rows of a key, [first, first + count) of the order of this object.
  struct Rows {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  // `whole[i]`: the keys of column i are whole numbers, so that 7 and 007 are the same key. Two
  // rows with the same key, and with as_of also the same time, are a problem.
  static std::variant<std::shared_ptr<const JoinedTable>, TableProblem> Create(
      LookupTable table, const TableForm& form, const std::vector<bool>& whole);

  const LookupTable& table() const { return table_; }

  // Returns the rows with a key; nullptr when there are none. A key that is a single text may be
  // given without KeyBytes.
  const Rows* Find(std::string_view key) const {
    const auto found = rows_of_.find(absl::string_view(key.data(), key.size()));
    return found == rows_of_.end() ? nullptr : &found->second;
  }

  // Returns the only row of a key, in a table without times.
  int64_t Only(const Rows& rows) const { return order_[rows.first]; }
  // Returns the newest row of a key that is valid at `time`: the last one that does not begin
  // later. std::nullopt when all begin later.
  std::optional<int64_t> NewestAt(const Rows& rows, int64_t time) const;
  // Returns when the first row of a key begins.
  int64_t FirstTime(const Rows& rows) const { return times_[rows.first]; }

 private:
  JoinedTable() = default;
  std::optional<TableProblem> TakeKeys(const TableForm& form, const std::vector<bool>& whole);
  void Order(const std::vector<uint32_t>& group_of);
  std::optional<TableProblem> FindTwins(const TableForm& form) const;

  LookupTable table_;
  std::string key_bytes_;  // Empty when keys are single texts.
  absl::flat_hash_map<absl::string_view, Rows> rows_of_;
  std::vector<uint32_t> order_;  // Rows by key, and rows of one key by time.
  std::vector<int64_t> times_;   // In the same order.
};

}  // namespace tidemill::transform
