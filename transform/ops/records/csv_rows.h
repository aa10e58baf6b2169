// Cuts the payload of a series into its CSV records.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "records/csv_punctuation.h"

namespace tidemill::transform {

// A record ends at a line end outside quotes. Empty lines are not records. Reuses its memory from
// payload to payload. Thread-compatible.
class CsvRows {
 public:
  explicit CsvRows(const batch::CsvDialect& dialect) : punctuation_(dialect) {}

  // Returns the records without their line ends. They are views of `payload`, valid until the next
  // call. A quote that is never closed makes the rest of the payload part of its record.
  std::span<const std::string_view> Split(std::string_view payload);

 private:
  // Returns the end of the record that begins at `begin`, before its line end.
  size_t EndOf(std::string_view payload, size_t begin) const;

  const CsvPunctuation punctuation_;
  std::vector<std::string_view> rows_;
};

}  // namespace tidemill::transform
