// The records of a CSV text as rows of fields, and what divides them into fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/csv_dialect.h"

namespace tidemill {

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

// Returns the number of fields that most of the records have.
size_t UsualWidth(const std::vector<CsvRow>& rows);

// How well a delimiter divides a text into records of equally many fields.
struct CsvDivision {
  std::string delimiter = ",";
  size_t width = 0;        // Fields of most records. Less than 2: it divides nothing.
  size_t num_fitting = 0;  // Records with this number.
  size_t num_rows = 0;
  bool first_fits = false;

  double share() const {
    return num_rows == 0 ? 0 : static_cast<double>(num_fitting) / static_cast<double>(num_rows);
  }
};

// Finds the delimiter that divides the most records into the same number of fields. Among equals,
// it is the one in the first record, which is most likely a header.
CsvDivision FindDelimiter(std::string_view text, bool last);

}  // namespace tidemill
