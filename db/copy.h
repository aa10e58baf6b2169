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

// One connection with one transaction that copies rows and runs statements. Thread-compatible.
// The destructor rolls back what was not committed.
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
  // Sends what is buffered once it exceeds 1 MiB; call it after each row.
  absl::Status Flush();
  // Ends the copy.
  absl::Status Close();

  absl::Status Commit();

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
