// How CSV text is divided into records and fields. All code that reads CSV takes a dialect.
#pragma once

#include <optional>
#include <string>

#include "base/numbers/written_number.h"

namespace tidemill::batch {

struct CsvDialect {
  std::string delimiter = ",";      // One to eight bytes.
  std::optional<char> quote = '"';  // Absent: quotes are ordinary characters.
  bool trim = false;                // Blanks around a field are removed.
  NumberNotations numbers = {};     // How numbers are written in its fields.

  friend bool operator==(const CsvDialect&, const CsvDialect&) = default;
};

}  // namespace tidemill::batch
