// Guesses how the text of a CSV file is divided into records and fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/csv_dialect.h"

namespace tidemill::cli {

using CsvRow = std::vector<std::string>;

// The records of a text, and the number of unreadable ones.
struct CsvRows {
  std::vector<CsvRow> rows = {};
  int64_t num_bad = 0;    // A quote that does not close, or too long.
  int64_t num_bytes = 0;  // The size of all records that were read.
};

// Reads up to `most` records. `last` says that the text ends with the file; otherwise the last
// record is left out, because it may be cut.
CsvRows ReadCsvRows(std::string_view text, const batch::CsvDialect& dialect, bool last,
                    size_t most);

struct GuessedDelimiter {
  std::string delimiter = {};
  std::string reason = {};   // "998 of 1,000 records have 12 fields".
  std::string unknown = {};  // Empty: the guess is certain.
};

// Returns the delimiter that divides the most records into the same number of fields. Among equals,
// it is the one in the first record, which is most likely a header. Without such a delimiter, the
// text has one column.
GuessedDelimiter GuessDelimiter(std::string_view text, bool last);

// Returns the number of fields that most of the records have.
size_t UsualWidth(const std::vector<CsvRow>& rows);

struct GuessedHeader {
  bool header = true;
  std::string reason = {};
  std::string unknown = {};
};

// Tells whether the first of the rows names the columns. All rows have the same width.
GuessedHeader GuessHeader(const std::vector<CsvRow>& rows);

}  // namespace tidemill::cli
