// Counts why records of a file are left out. The result is short, however many records there are.
// If the number of missing records is unknown, their bytes are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::storage {

// The records that were left out for the same reason. Without any count it is a remark about a file
// that lost nothing.
struct LeftOutReason {
  // '...' replaces what the reasons quote, and ... replaces paths and whole numbers. Empty for the
  // rest.
  std::string pattern;
  bool wanted = false;  // Whether the spec asks for it.
  int64_t num_records = 0;
  int64_t num_files = 0;  // Files left out as a whole. Their records are not counted.
  // The bytes in which no record could be found. Each such place counts as one record, too.
  int64_t lost_bytes = 0;
  int64_t num_members = 0;  // Members of archives that no sample uses. They are not records.
  // The number of the first record, from 0. std::nullopt when the whole file is meant.
  std::optional<int64_t> first_record;
  std::string first_reason;
};

// Returns a reason without its quotations, whole paths and whole numbers, at most 200 bytes.
// Records with the same trouble have the same pattern.
std::string PatternOf(std::string_view reason);

// Counts every record and keeps the first record of each reason. After 50 reasons, the others are
// counted together. Thread-compatible.
class LeftOutReasons {
 public:
  void Add(int64_t record, std::string_view reason) { Add(record, reason, /*lost_bytes=*/0); }
  // Adds one record, and the bytes around it in which no record could be found.
  void Add(int64_t record, std::string_view reason, int64_t lost_bytes);
  // Adds `count` records. `record` is the first of them.
  void Add(std::optional<int64_t> record, int64_t count, std::string_view reason, bool wanted);
  // Adds the bytes to the last one added.
  void AddLostBytes(int64_t bytes) { items_[last_].lost_bytes += bytes; }
  // Adds a file that was left out as a whole.
  void AddFile(std::string_view reason, int64_t lost_bytes);
  // Adds a remark, which costs no record. `num_members` may be 0.
  void AddRemark(std::string_view reason, int64_t num_members, bool wanted);
  // Removes the last one added, which was one record without lost bytes.
  void RemoveLast();

  const std::vector<LeftOutReason>& items() const { return items_; }
  int64_t num_records() const { return num_records_; }

 private:
  LeftOutReason& Place(std::string_view reason, bool wanted);

  std::vector<LeftOutReason> items_;
  int64_t num_records_ = 0;
  size_t last_ = 0;
  std::string last_reason_;  // Consecutive records mostly have the same trouble.
};

}  // namespace tidemill::storage
