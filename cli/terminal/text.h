// Text for people: tables, numbers, and users' strings made safe for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/thousands.h"
#include "cli/terminal/tone.h"

namespace tidemill::cli {

// Makes a text of several lines, such as a message, safe. Characters that control the terminal or
// change the text's direction are replaced as in base/printable.h. Newlines and tabs stay.
std::string Printable(std::string_view text);

// Does the same for a name, a path or a cell. Newlines and tabs are replaced, too.
std::string OneLine(std::string_view text);

// "0.8 s", "12 s", "3 min 05 s", "2 h 10 min", "60 d 12 h"
std::string Elapsed(double seconds);

// "1.3 k", "41 k", "2.5 M"
std::string Short(double number);

// Returns four digits of a measure: "0.7812"; "-" when it is undefined.
std::string Measure(std::optional<double> value);

// A table with aligned columns and a header row. Columns of numbers are aligned right. An empty
// table prints its header and "<none>".
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void Add(std::vector<std::string> row);
  // Colours the cells of a column below the header. For a stream that takes colours only
  // (view.h).
  void Paint(size_t column, std::function<Tone(const std::string& cell)> tone);
  std::string ToString() const;

 private:
  std::string Coloured(size_t row, size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::map<size_t, std::function<Tone(const std::string&)>> tones_;  // By column.
};

// Whether a stream is a terminal that can move its cursor. With TERM=dumb it cannot. TakesColour()
// in view.h says whether it takes colours.
bool IsTerminal(int descriptor);
// Returns the columns of the terminal, 80 when unknown.
int TerminalWidth();

}  // namespace tidemill::cli
