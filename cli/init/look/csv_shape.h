// Guesses how the text of a CSV file is divided into records and fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/csv_rows.h"

namespace tidemill::cli {

struct GuessedDelimiter {
  std::string delimiter = {};
  std::string reason = {};   // "998 of 1,000 records have 12 fields".
  std::string unknown = {};  // Empty: the guess is certain.
};

// Without a delimiter that divides the records, the text has one column.
GuessedDelimiter GuessDelimiter(std::string_view text, bool last);

struct GuessedHeader {
  bool header = true;
  std::string reason = {};
  std::string unknown = {};
};

// Tells whether the first of the rows names the columns. All rows have the same width.
GuessedHeader GuessHeader(const std::vector<CsvRow>& rows);

}  // namespace tidemill::cli
