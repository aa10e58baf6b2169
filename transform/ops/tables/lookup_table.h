// The table that a lookup op joins: a CSV file with a header.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "base/times/time_format.h"
#include "batch/batch.h"
#include "batch/csv_dialect.h"
#include "transform/ops/records/parse_csv.h"

namespace tidemill::transform {

// The most bytes and rows of a table.
inline constexpr size_t kMaxTableBytes = size_t{64} << 20;
inline constexpr int64_t kMaxTableRows = int64_t{4} << 20;

using ColumnTypes = std::map<std::string, CsvType>;

// The columns of a table to read, and their formats.
struct TableForm {
  std::string name = {};  // The name of the file, for messages.
  batch::CsvDialect dialect = {};
  std::vector<std::string> keys = {};
  std::vector<std::string> values = {};
  ColumnTypes types =
      {};  // Types of values. The types of other columns follow from their first fields.
  std::string as_of = {};  // The column of times; empty when rows are valid at any time.
  TimeFormat times = {};
};

// Why a table cannot be read.
struct TableProblem {
  std::string key;  // The key of the op.
  std::string message;
  std::string hint = {};
  ColumnTypes types = {};  // The types of values that are known nevertheless.
};

// The rows of a table, in the order of their file. Numbers that are missing are NaN.
struct LookupTable {
  std::vector<batch::Column> keys;    // Texts.
  std::vector<batch::Column> values;  // As TableForm names them, each of its type.
  ColumnTypes types;                  // Types of all values.
  std::vector<int64_t>
      times;  // The times from which rows are valid, in microseconds; may be empty.
  std::vector<int32_t> lines;  // Lines of the file, from 1.

  int64_t text_bytes = 0;  // The size of the table's text.

  int64_t num_rows() const { return static_cast<int64_t>(lines.size()); }
};

// Reads the columns of a table.
//
// A value that is not typed is a number when its first field that is not empty is one, else a text.
// It is then float32, or float64 when float32 cannot hold a whole number in it. A field of a float
// that is empty is a missing number. Any other field that is not a number is a problem.
std::variant<LookupTable, TableProblem> ReadTable(std::string_view text, const TableForm& form);

// Returns the table with only those columns, its records at the same lines. It must be readable.
std::string NarrowTable(std::string_view text, const TableForm& form);

// Returns a table with those columns and one row, of zeros.
std::string StandInTable(const TableForm& form);

// These compress and decompress a table. INVALID_ARGUMENT when the bytes are not a table, or one of
// more than kMaxTableBytes.
absl::StatusOr<std::string> PackTable(std::string_view text);
absl::StatusOr<std::string> UnpackTable(std::string_view bytes);

}  // namespace tidemill::transform
