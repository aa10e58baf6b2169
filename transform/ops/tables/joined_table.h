// A table whose rows are found by their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transform/ops/tables/key_index.h"
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

// Immutable, so thread-safe. It takes about the bytes of its keys, values and times, and 10 bytes
// for each row; with times, 12 more.
class JoinedTable {
 public:
  // The rows of a key, [first, first + count) of the order of this object.
  struct Rows {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  // Reads a table. `whole[i]`: the keys of column i are whole numbers, so that 7 and 007 are the
  // same key. Two rows with the same key, and with as_of also the same time, are a problem.
  static std::variant<std::shared_ptr<const JoinedTable>, TableProblem> Read(
      std::string_view text, const TableForm& form, const std::vector<bool>& whole);

  // The table, without its keys and times.
  const LookupTable& table() const { return table_; }
  bool has_times() const { return has_times_; }

  // Returns the rows with a key; std::nullopt when there are none. A key that is a single text may
  // be given without KeyBytes.
  std::optional<Rows> Find(std::string_view key) const;

  // Returns the only row of a key, in a table without times.
  static int64_t Only(const Rows& rows) { return rows.first; }
  // Returns the newest row of a key that is valid at `time`: the last one that does not begin
  // later. std::nullopt when all begin later, and when that one has ended.
  std::optional<int64_t> NewestAt(const Rows& rows, int64_t time) const;
  // Returns when the first row of a key begins.
  int64_t FirstTime(const Rows& rows) const { return times_[rows.first]; }

 private:
  class Maker;
  JoinedTable() = default;

  LookupTable table_;
  TableTexts keys_;  // The keys of the rows, as KeyBytes makes them.
  KeyIndex index_;   // The first rows of keys, by key.
  bool has_times_ = false;
  // In a table with times: the number of each key, by its first row; where its rows begin in
  // `order_`, by its number, and then the end; rows by key, and those of one key by time; and the
  // times in this order.
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> order_;
  std::vector<int64_t> times_;
  std::vector<int64_t> ends_;  // May be empty.
};

}  // namespace tidemill::transform
