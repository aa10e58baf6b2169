// Text for people: tables, numbers, and strings of users made safe for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::cli {

// Replaces control characters but newlines and tabs, so that no name can drive the terminal.
std::string Printable(std::string_view text);

// "1,461"
std::string WithThousands(int64_t number);

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

// Whether a stream is a terminal that may be painted: not with NO_COLOR or TERM=dumb.
bool IsTerminal(int descriptor);
// Columns of the terminal, 80 when unknown.
int TerminalWidth();

}  // namespace tidemill::cli
