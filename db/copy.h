// Writes rows in bulk by binary COPY through libpq.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

struct pg_conn;

namespace tidemill::db {

// One column of many rows, with numbers of 8 bytes. It is a view: the numbers must outlive it.
struct CopyColumn {
  // Same() has the same bigint in each row. CountingFrom() has `first`, `first` + 1 and so on.
  // Null() has NULL.
  static CopyColumn Same(int64_t value) { return {.base = static_cast<uint64_t>(value)}; }
  static CopyColumn CountingFrom(int64_t first) {
    return {.base = static_cast<uint64_t>(first), .step = 1};
  }
  static CopyColumn Null() { return {.is_null = true}; }
  // The values are bigint, double precision or timestamptz.
  static CopyColumn Int64(std::span<const int64_t> values) { return {.values = values.data()}; }
  static CopyColumn Double(std::span<const double> values) { return {.values = values.data()}; }
  static CopyColumn Times(std::span<const int64_t> micros);

  // Makes a row NULL when its bit is 0. In a byte, the least significant bit comes first. The bit
  // of row 0 is `first_bit`.
  CopyColumn Where(std::span<const uint8_t> bits, size_t first_bit) const;

  // For CopyWriter.
  const void* values = nullptr;
  uint64_t base = 0;  // Added to each value.
  uint64_t step = 0;  // Without values: added from row to row.
  const uint8_t* validity = nullptr;
  size_t first_bit = 0;
  bool is_null = false;
};

// One connection with one transaction at a time, which copies rows and runs statements.
// Thread-compatible. The destructor rolls back what was not committed.
class CopyWriter {
 public:
  static absl::StatusOr<std::unique_ptr<CopyWriter>> Begin(const std::string& connection_string);
  ~CopyWriter();

  // Runs a statement in the transaction, between copies.
  absl::Status Execute(const std::string& sql);

  // Starts `COPY <target> FROM STDIN (FORMAT binary)`, e.g. "storage.samples (sample_key, label)".
  absl::Status Open(std::string_view target);
  // Writes one row. After BeginRow(n), write as many values as the target has columns.
  void BeginRow(int16_t num_columns);
  void Int64(std::optional<int64_t> value);
  void Double(std::optional<double> value);
  void Bool(bool value);
  void Text(std::string_view value);
  void Bytes(std::string_view value);
  // Writes a timestamptz.
  void Time(std::optional<Timestamp> value);
  void Null();
  // Writes many rows from columns, at a fraction of the cost of single values.
  absl::Status Rows(std::span<const CopyColumn> columns, int64_t num_rows);
  // Sends what is buffered once it exceeds 64 KiB; call it after each row.
  absl::Status Flush();
  // Ends the copy.
  absl::Status Close();

  absl::Status Commit();
  // Starts the next transaction after a commit.
  absl::Status BeginNext();

 private:
  explicit CopyWriter(pg_conn* connection);
  absl::Status Send();
  void CountValue();
  pg_conn* connection_;
  std::string buffer_;
  bool is_copying_ = false;     // Between Open() and Close().
  int16_t missing_values_ = 0;  // Values that the begun row still needs.
};

}  // namespace tidemill::db
