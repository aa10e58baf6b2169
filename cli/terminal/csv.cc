#include "cli/terminal/csv.h"

#include <charconv>

namespace tidemill::cli {
namespace {

// Whether a spreadsheet would compute the cell instead of showing it.
bool StartsFormula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r\n").find(text.front()) == std::string_view::npos) {
    return false;
  }
  const std::string_view number = text.substr(text.front() == '+' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc::invalid_argument || end != number.data() + number.size();
}

}  // namespace

std::string CsvCell(std::string_view text) {
  std::string plain = (StartsFormula(text) ? "'" : "") + std::string(text);
  if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace tidemill::cli
