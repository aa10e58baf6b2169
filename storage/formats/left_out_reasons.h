// Why records of a file are left out, in few words however many they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::storage {

// What records have in common that were left out for the same reason.
struct LeftOutReason {
  std::string pattern;  // '...' for what their reasons quote; empty: the rest.
  bool wanted = false;  // The spec wants it so.
  int64_t num_records = 0;
  int64_t num_files = 0;  // Left out as a whole, their records not known.
  // Zero-based; std::nullopt where the whole file is meant.
  std::optional<int64_t> first_record;
  std::string first_reason;
};

// A reason without what it quotes, at most 200 bytes: equal for records that have the same trouble.
std::string PatternOf(std::string_view reason);

// Counts every record and keeps the first of each reason; of more than 50 reasons the rest is one.
// Thread-compatible.
class LeftOutReasons {
 public:
  void Add(int64_t record, std::string_view reason) { Add(record, 1, reason, /*wanted=*/false); }
  // `count` of them, of which `record` is the first.
  void Add(std::optional<int64_t> record, int64_t count, std::string_view reason, bool wanted);
  // A file of which nothing is known but this.
  void AddFile(std::string_view reason);
  // Takes back the last one added, which was one record.
  void RemoveLast();

  const std::vector<LeftOutReason>& items() const { return items_; }
  int64_t num_records() const { return num_records_; }

 private:
  LeftOutReason& Place(std::string_view reason, bool wanted);

  std::vector<LeftOutReason> items_;
  int64_t num_records_ = 0;
  size_t last_ = 0;
  std::string last_reason_;  // Records in a row mostly have the same trouble.
};

}  // namespace tidemill::storage
