// Cuts the payload of a series into its CSV records.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemill::transform {

// Records end where a line ends outside of quotes; empty lines are none. Reuses its memory from
// payload to payload. Thread-compatible.
class CsvRows {
 public:
  // `quote`: absent where quotes are ordinary characters.
  CsvRows(char delimiter, std::optional<char> quote) : delimiter_(delimiter), quote_(quote) {}

  // The records without their line ends: views of `payload`, good until the next call. A quote that
  // is never closed takes the rest of the payload into its record.
  std::span<const std::string_view> Split(std::string_view payload);

 private:
  // Where the record that begins at `begin` ends, before its line end.
  size_t EndOf(std::string_view payload, size_t begin) const;

  const char delimiter_;
  const std::optional<char> quote_;
  std::vector<std::string_view> rows_;
};

}  // namespace tidemill::transform
