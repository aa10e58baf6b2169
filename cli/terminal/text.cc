#include "cli/terminal/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fmt/format.h"

#include "base/printable.h"

namespace tidemill::cli {
namespace {

bool LooksNumeric(const std::string& cell) {
  return !cell.empty() && std::all_of(cell.begin(), cell.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == ',' || c == '-';
  });
}

// Columns a UTF-8 string takes, one a code point.
size_t WidthOf(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

std::string Printable(std::string_view text) { return tidemill::Printable(text, "\n\t"); }

std::string OneLine(std::string_view text) { return tidemill::Printable(text); }

std::string Elapsed(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 48 * 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole / 3600 % 24);
}

std::string Short(double number) {
  if (number < 1e3) return fmt::format("{:.0f}", number);
  if (number < 1e4) return fmt::format("{:.1f} k", number / 1e3);
  if (number < 1e6) return fmt::format("{:.0f} k", number / 1e3);
  return fmt::format("{:.1f} M", number / 1e6);
}

std::string Measure(std::optional<double> value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::Add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = OneLine(cell);
  rows_.push_back(std::move(row));
}

void Table::Paint(size_t column, std::function<Tone(const std::string& cell)> tone) {
  tones_[column] = std::move(tone);
}

std::string Table::Coloured(size_t row, size_t column) const {
  const std::string& cell = rows_[row][column];
  const auto tone = tones_.find(column);
  if (row == 0 || tone == tones_.end()) return cell;
  return InTone(cell, tone->second(cell), true);
}

std::string Table::ToString() const {
  const size_t num_columns = rows_.front().size();
  std::vector<size_t> widths(num_columns, 0);
  std::vector<bool> numeric(num_columns, rows_.size() > 1);
  for (size_t row = 0; row < rows_.size(); ++row) {
    for (size_t column = 0; column < num_columns; ++column) {
      widths[column] = std::max(widths[column], WidthOf(rows_[row][column]));
      if (row > 0 && !LooksNumeric(rows_[row][column])) numeric[column] = false;
    }
  }
  std::string text;
  for (size_t row = 0; row < rows_.size(); ++row) {
    std::string line;
    for (size_t column = 0; column < num_columns; ++column) {
      const std::string padding(widths[column] - WidthOf(rows_[row][column]), ' ');
      const std::string cell = Coloured(row, column);
      line += numeric[column] ? padding + cell : cell + padding;
      if (column + 1 < num_columns) line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (rows_.size() == 1) text += "<none>\n";
  return text;
}

bool IsTerminal(int descriptor) {
  if (isatty(descriptor) == 0) return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb";
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace tidemill::cli
