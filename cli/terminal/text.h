// Text for people: tables, numbers, and strings of users made safe for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/thousands.h"

namespace tidemill::cli {

// A text of several lines, such as a message: what would drive the terminal or turn its text is
// replaced by what base/printable.h shows for it, newlines and tabs stay.
std::string Printable(std::string_view text);

// The same for a name, a path or a cell: newlines and tabs are replaced as well.
std::string OneLine(std::string_view text);

// "0.8 s", "12 s", "3 min 05 s", "2 h 10 min", "60 d 12 h"
std::string Elapsed(double seconds);

// "1.3 k", "41 k", "2.5 M"
std::string Short(double number);

// Four digits of a measure: "0.7812"; "-" when undefined.
std::string Measure(std::optional<double> value);

// A table with aligned columns and a header row; columns of numbers are aligned right. An empty
// table prints its header and "<none>".
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void Add(std::vector<std::string> row);
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Whether a stream is a terminal that can move its cursor: not with TERM=dumb. Whether it may be
// coloured is for TakesColour() in view.h.
bool IsTerminal(int descriptor);
// Columns of the terminal, 80 when unknown.
int TerminalWidth();

}  // namespace tidemill::cli
