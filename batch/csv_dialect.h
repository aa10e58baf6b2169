// How CSV text is divided into records and fields. All code that reads CSV takes a dialect.
#pragma once

#include <optional>
#include <string>

namespace tidemill::batch {

struct CsvDialect {
  std::string delimiter = ",";      // One to eight bytes.
  std::optional<char> quote = '"';  // Absent: quotes are ordinary characters.
  bool trim = false;                // Blanks around a field are removed.
  char decimal = '.';               // The separator before the fraction of a number.

  friend bool operator==(const CsvDialect&, const CsvDialect&) = default;
};

}  // namespace tidemill::batch
