// Writes tables as comma-separated values (RFC 4180; lines end in LF).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/format.h"

namespace tidemill::cli {

// Returns a cell, in quotes if it needs them. A text that a spreadsheet would read as a formula
// gets an apostrophe before it, which marks it as text. A number stays a number.
std::string CsvCell(std::string_view text);

// Ten digits are enough for comparisons.
inline std::string CsvCell(double number) { return fmt::format("{:.10g}", number); }
inline std::string CsvCell(std::integral auto number) { return fmt::format("{}", number); }
template <typename Value>
std::string CsvCell(const std::optional<Value>& value) {
  return value ? CsvCell(*value) : std::string();
}

template <typename First, typename... Rest>
std::string CsvLine(const First& first, const Rest&... rest) {
  std::string line = CsvCell(first);
  ((line += "," + CsvCell(rest)), ...);
  return line + "\n";
}

}  // namespace tidemill::cli
