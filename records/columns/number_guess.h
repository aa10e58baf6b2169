// Guesses the notation in which the numbers of a table are written.
#pragma once

#include <optional>
#include <string>

#include "base/numbers/written_number.h"
#include "records/columns/sampled_table.h"

namespace tidemill {

struct GuessedNumbers {
  NumberNotations numbers = {};
  // A number that tells the decimal sign, and one that tells the separator of thousands; "" if
  // there is none.
  std::string decimal_example = {};
  std::string thousands_example = {};
  // An open question: the numbers could be read in another notation, too.
  std::string unknown = {};
};

// Chooses the notation that reads the most columns. `decimal`: as the user says.
GuessedNumbers GuessNumbers(const SampledTable& table, std::optional<char> decimal);

}  // namespace tidemill
