#include "db/copy.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>

#include "db/sql_status.h"

namespace tidemill::db {
namespace {

using namespace std::string_view_literals;

// See "Binary Format" of COPY in PostgreSQL's manual: signature, flags, extension length.
constexpr std::string_view kHeader = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv;
static_assert(kHeader.size() == 19);

// PostgreSQL works on one message while the socket holds the next ones.
constexpr size_t kFlushBytes = size_t{64} << 10;
// 2000-01-01, where PostgreSQL's clock starts, in microseconds since 1970.
constexpr int64_t kEpochMicros = 946'684'800'000'000;

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// From memory order to big-endian.
template <std::unsigned_integral T>
T BigEndian(T value) {
  if constexpr (std::endian::native == std::endian::big) return value;
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  return __builtin_bswap16(value);
}

template <std::unsigned_integral T>
void Append(std::string& buffer, T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(BigEndian(value));
  buffer.append(bytes.data(), bytes.size());
}

// The number of one row.
uint64_t ValueAt(const CopyColumn& column, size_t row) {
  if (column.values == nullptr) return column.base + column.step * row;
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const char*>(column.values) + row * sizeof(value), sizeof(value));
  return column.base + value;
}

bool IsNullAt(const CopyColumn& column, size_t row) {
  if (column.is_null || column.validity == nullptr) return column.is_null;
  const size_t bit = column.first_bit + row;
  return (column.validity[bit / 8] >> bit % 8 & 1) == 0;
}

// Rows that differ only in their numbers: a template, and a store for each number.
void AppendAlike(std::span<const CopyColumn> columns, size_t from, size_t to, std::string& buffer) {
  std::string row;
  Append(row, static_cast<uint16_t>(columns.size()));
  for (const CopyColumn& column : columns) {
    Append(row, column.is_null ? static_cast<uint32_t>(-1) : uint32_t{8});
    if (!column.is_null) row.append(8, '\0');
  }
  const size_t begin = buffer.size();
  for (size_t i = from; i < to; ++i) buffer += row;
  size_t at = begin + 2;
  for (const CopyColumn& column : columns) {
    at += 4;
    if (column.is_null) continue;
    char* place = buffer.data() + at;
    for (size_t i = from; i < to; ++i, place += row.size()) {
      const uint64_t value = BigEndian(ValueAt(column, i));
      std::memcpy(place, &value, sizeof(value));
    }
    at += 8;
  }
}

void AppendMixed(std::span<const CopyColumn> columns, size_t from, size_t to, std::string& buffer) {
  for (size_t i = from; i < to; ++i) {
    Append(buffer, static_cast<uint16_t>(columns.size()));
    for (const CopyColumn& column : columns) {
      const bool is_null = IsNullAt(column, i);
      Append(buffer, is_null ? static_cast<uint32_t>(-1) : uint32_t{8});
      if (!is_null) Append(buffer, ValueAt(column, i));
    }
  }
}

absl::Status ConnectionFailure(const PGconn* connection) {
  return Concealed(FromSqlState("08006", PQerrorMessage(connection)));
}

absl::StatusOr<Connection> OpenConnection(const std::string& connection_string) {
  Connection connection(PQconnectdb(connection_string.c_str()), &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) return ConnectionFailure(connection.get());
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

absl::Status CheckResult(const PGconn* connection, const PGresult* result,
                         ExecStatusType expected) {
  if (result != nullptr && PQresultStatus(result) == expected) return absl::OkStatus();
  if (result == nullptr || PQstatus(connection) != CONNECTION_OK) {
    return ConnectionFailure(connection);
  }
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return Concealed(FromSqlState(state == nullptr ? "" : state, PQresultErrorMessage(result)));
}

absl::Status Run(PGconn* connection, const std::string& sql, ExecStatusType expected) {
  const Result result(PQexec(connection, sql.c_str()), &PQclear);
  return CheckResult(connection, result.get(), expected);
}

// The result of a COPY, once all data has gone.
absl::Status FinishCopy(PGconn* connection) {
  absl::Status status = absl::OkStatus();
  while (PGresult* const next = PQgetResult(connection)) {
    const Result result(next, &PQclear);
    if (status.ok()) status = CheckResult(connection, next, PGRES_COMMAND_OK);
  }
  return status;
}

}  // namespace

CopyWriter::CopyWriter(pg_conn* connection) : connection_(connection) {}

CopyWriter::~CopyWriter() { PQfinish(connection_); }

absl::Status CopyWriter::BeginNext() { return Run(connection_, "BEGIN", PGRES_COMMAND_OK); }

absl::StatusOr<std::unique_ptr<CopyWriter>> CopyWriter::Begin(
    const std::string& connection_string) {
  ASSIGN_OR_RETURN(Connection connection, OpenConnection(connection_string));
  std::unique_ptr<CopyWriter> writer(new CopyWriter(connection.release()));
  RETURN_IF_ERROR(writer->BeginNext());
  return writer;
}

absl::Status CopyWriter::Execute(const std::string& sql) {
  const Result result(PQexec(connection_, sql.c_str()), &PQclear);
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK) return absl::OkStatus();
  return CheckResult(connection_, result.get(), PGRES_COMMAND_OK);
}

absl::Status CopyWriter::Open(std::string_view target) {
  buffer_ = kHeader;
  return Run(connection_, fmt::format("COPY {} FROM STDIN (FORMAT binary)", target), PGRES_COPY_IN);
}

void CopyWriter::BeginRow(int16_t num_columns) {
  Append(buffer_, static_cast<uint16_t>(num_columns));
}

void CopyWriter::Int64(std::optional<int64_t> value) {
  if (!value) return Null();
  Append(buffer_, uint32_t{8});
  Append(buffer_, static_cast<uint64_t>(*value));
}

void CopyWriter::Double(std::optional<double> value) {
  if (!value) return Null();
  Append(buffer_, uint32_t{8});
  Append(buffer_, std::bit_cast<uint64_t>(*value));
}

void CopyWriter::Bool(bool value) {
  Text(value ? std::string_view("\1", 1) : std::string_view("\0", 1));
}

void CopyWriter::Text(std::string_view value) { Bytes(value); }

void CopyWriter::Bytes(std::string_view value) {
  Append(buffer_, static_cast<uint32_t>(value.size()));
  buffer_ += value;
}

void CopyWriter::Time(std::optional<Timestamp> value) {
  if (!value) return Null();
  Int64(value->micros - kEpochMicros);
}

void CopyWriter::Null() { Append(buffer_, static_cast<uint32_t>(-1)); }

CopyColumn CopyColumn::Times(std::span<const int64_t> micros) {
  return {.values = micros.data(), .base = static_cast<uint64_t>(-kEpochMicros)};
}

CopyColumn CopyColumn::Where(std::span<const uint8_t> bits, size_t first) const {
  CopyColumn column = *this;
  column.validity = bits.data();
  column.first_bit = first;
  return column;
}

absl::Status CopyWriter::Rows(std::span<const CopyColumn> columns, int64_t num_rows) {
  const bool alike = std::ranges::none_of(
      columns, [](const CopyColumn& column) { return column.validity != nullptr; });
  // With 12 bytes a number, a block is about what Flush() sends.
  const size_t rows_per_block = std::max<size_t>(1, kFlushBytes / (2 + 12 * columns.size()));
  const auto end = static_cast<size_t>(num_rows);
  for (size_t from = 0; from < end; from += rows_per_block) {
    const size_t to = std::min(end, from + rows_per_block);
    if (alike) {
      AppendAlike(columns, from, to, buffer_);
    } else {
      AppendMixed(columns, from, to, buffer_);
    }
    RETURN_IF_ERROR(Flush());
  }
  return absl::OkStatus();
}

absl::Status CopyWriter::Flush() {
  if (buffer_.size() < kFlushBytes) return absl::OkStatus();
  return Send();
}

absl::Status CopyWriter::Send() {
  const int sent = PQputCopyData(connection_, buffer_.data(), static_cast<int>(buffer_.size()));
  buffer_.clear();
  return sent == 1 ? absl::OkStatus() : ConnectionFailure(connection_);
}

absl::Status CopyWriter::Close() {
  Append(buffer_, static_cast<uint16_t>(-1));
  RETURN_IF_ERROR(Send());
  if (PQputCopyEnd(connection_, nullptr) != 1) return ConnectionFailure(connection_);
  return FinishCopy(connection_);
}

absl::Status CopyWriter::Commit() {
  const Result result(PQexec(connection_, "COMMIT"), &PQclear);
  RETURN_IF_ERROR(CheckResult(connection_, result.get(), PGRES_COMMAND_OK));
  // PostgreSQL answers ROLLBACK, and no error, where an earlier statement failed.
  if (PQcmdStatus(result.get()) == "COMMIT"sv) return absl::OkStatus();
  return FailedPrecondition("PostgreSQL: the transaction had failed and was rolled back");
}

}  // namespace tidemill::db
