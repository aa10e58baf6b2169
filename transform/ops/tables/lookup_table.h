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
#include "batch/csv_dialect.h"
#include "transform/ops/records/parse_csv.h"
#include "transform/ops/tables/table_texts.h"

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
  // Words that mean a missing number, in capital or small letters.
  std::vector<std::string> missing = {"NA", "N/A", "NaN", "null"};
  std::string as_of = {};  // The column of times; empty when rows are valid at any time.
  std::string until = {};  // The column of times at which rows end; may be empty.
  TimeFormat times = {};
};

// Why a table cannot be read.
struct TableProblem {
  std::string key;  // The key of the op.
  std::string message;
  std::string hint = {};
  ColumnTypes types = {};  // The types of values that are known nevertheless.
};

// The values of a column. Numbers that are missing are NaN.
struct TableValues {
  std::string name;
  std::variant<std::vector<float>, std::vector<double>, std::vector<int64_t>, TableTexts> values;
};

// The rows of a table, in the order of their file.
struct LookupTable {
  std::vector<TableTexts> keys;
  std::vector<TableValues> values;  // As TableForm names them, each of its type.
  ColumnTypes types;                // Types of all values.
  // The times from which rows are valid, in microseconds, and at which they end; may be empty.
  std::vector<int64_t> times;
  std::vector<int64_t> ends;

  int64_t text_bytes = 0;  // The size of the table's text.
  int64_t num_rows = 0;
};

// Reads the columns of a table.
//
// A value that is not typed is a number when its first field is one that is neither empty nor a
// missing word, else a text. It is then float32, or float64 when float32 cannot hold a whole number
// in it. A field of a float that is empty or a missing word is a missing number. Any other field
// that is not a number is a problem. An empty time, or -infinity, means that it always held; an
// empty end, or infinity, forever.
std::variant<LookupTable, TableProblem> ReadTable(std::string_view text, const TableForm& form);

// Finds what ReadTable() would find wrong, and keeps no rows. Returns the types of all values.
std::variant<ColumnTypes, TableProblem> CheckTable(std::string_view text, const TableForm& form);

// Returns the line of a row, from 1. The table must be readable.
int32_t LineOfRow(std::string_view text, const TableForm& form, int64_t row);

// Returns the table with only those columns, its records at the same lines. It must be readable.
std::string NarrowTable(std::string_view text, const TableForm& form);

// Returns a table with those columns and one row, of zeros.
std::string StandInTable(const TableForm& form);

// These compress and decompress a table. INVALID_ARGUMENT when the bytes are not a table, or one of
// more than kMaxTableBytes.
absl::StatusOr<std::string> PackTable(std::string_view text);
absl::StatusOr<std::string> UnpackTable(std::string_view bytes);

}  // namespace tidemill::transform
