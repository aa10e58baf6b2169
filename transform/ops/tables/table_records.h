// Cuts the text of a table into records: its header and rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/csv_dialect.h"
#include "records/csv_splitter.h"

namespace tidemill::transform {

// Goes through the records of a text. Empty lines and lines of delimiters alone are not records.
// Thread-compatible. The text must outlive this object.
class TableRecords {
 public:
  TableRecords(std::string_view text, const batch::CsvDialect& dialect);

  // Moves to the next record. Returns false after the last one, and at one that cannot be read.
  bool Next();
  // The problem of the record at which Next() returned false; nullptr at the end.
  const char* problem() const { return problem_; }

  // The record, and the line where it begins, from 1.
  const std::vector<CsvField>& fields() const { return record_.fields; }
  int32_t line() const { return line_; }

  // Returns the fields of the record as names of columns.
  std::vector<std::string> Names() const;

 private:
  const batch::CsvDialect dialect_;
  const CsvSplitter splitter_;
  std::string_view rest_;
  // The line end: \n, or \r in a text without \n.
  const char line_end_;
  CsvRecord record_;
  int32_t line_ = 1;
  int32_t next_line_ = 1;
  const char* problem_ = nullptr;
};

}  // namespace tidemill::transform
