// Bulk rows by binary COPY through libpq.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

struct pg_conn;

namespace tidemill::db {

// Numbers of 8 bytes in one column of many rows. Views; what they see must outlive them.
struct CopyColumn {
  // The same bigint in each row; `first`, `first` + 1 and so on; NULL.
  static CopyColumn Same(int64_t value) { return {.base = static_cast<uint64_t>(value)}; }
  static CopyColumn CountingFrom(int64_t first) {
    return {.base = static_cast<uint64_t>(first), .step = 1};
  }
  static CopyColumn Null() { return {.is_null = true}; }
  // One of bigint, double precision, timestamptz.
  static CopyColumn Int64(std::span<const int64_t> values) { return {.values = values.data()}; }
  static CopyColumn Double(std::span<const double> values) { return {.values = values.data()}; }
  static CopyColumn Times(std::span<const int64_t> micros);

  // NULL where the bit of a row, the least significant of a byte first, is 0; row 0 is the bit
  // `first_bit`.
  CopyColumn Where(std::span<const uint8_t> bits, size_t first_bit) const;

  // For CopyWriter.
  const void* values = nullptr;
  uint64_t base = 0;  // Added to each value.
  uint64_t step = 0;  // Without values: from row to row.
  const uint8_t* validity = nullptr;
  size_t first_bit = 0;
  bool is_null = false;
};

// One connection with one transaction at a time that copies rows and runs statements.
// Thread-compatible. The destructor rolls back what was not committed.
class CopyWriter {
 public:
  static absl::StatusOr<std::unique_ptr<CopyWriter>> Begin(const std::string& connection_string);
  ~CopyWriter();

  // Runs a statement in the transaction, between copies.
  absl::Status Execute(const std::string& sql);

  // Starts `COPY <target> FROM STDIN (FORMAT binary)`, e.g. "storage.samples (sample_key, label)".
  absl::Status Open(std::string_view target);
  // One row: as many values as the target has columns, between BeginRow(n) and the next.
  void BeginRow(int16_t num_columns);
  void Int64(std::optional<int64_t> value);
  void Int32(std::optional<int32_t> value);
  void Double(std::optional<double> value);
  void Text(std::string_view value);
  void Bytes(std::string_view value);
  // A timestamptz.
  void Time(std::optional<Timestamp> value);
  void Null();
  // Many rows of nothing but such columns, at a fraction of the cost.
  absl::Status Rows(std::span<const CopyColumn> columns, int64_t num_rows);
  // Sends what is buffered once it exceeds 64 KiB; call it after each row.
  absl::Status Flush();
  // Ends the copy.
  absl::Status Close();

  absl::Status Commit();
  // Starts another transaction after that.
  absl::Status BeginNext();

 private:
  explicit CopyWriter(pg_conn* connection);
  absl::Status Send();
  pg_conn* connection_;
  std::string buffer_;
};

// Streams `COPY (query) TO STDOUT (FORMAT binary)`; calls `row` with the raw values of each row
// (std::nullopt for NULL), each in PostgreSQL's big-endian binary form; see ReadInt64.
absl::Status CopyOut(
    const std::string& connection_string, const std::string& query,
    const std::function<absl::Status(std::span<const std::optional<std::string_view>>)>& row);

int64_t ReadInt64(std::string_view value);
int32_t ReadInt32(std::string_view value);
double ReadDouble(std::string_view value);
Timestamp ReadTime(std::string_view value);

}  // namespace tidemill::db
