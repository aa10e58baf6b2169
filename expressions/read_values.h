// Reads numbers and booleans that are written as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/numbers/written_number.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// Returns the text without blanks at its ends.
std::string_view WithoutBlanks(std::string_view text);

// Whether the words are equal, ignoring the case of ASCII letters.
bool SameWord(std::string_view a, std::string_view b);

// Decimal numbers, with blanks around them and a sign before them. std::nullopt for text that is
// not a finite number, such as "nan".
std::optional<double> ReadNumber(std::string_view text, const NumberNotation& notation = {});
std::optional<int64_t> ReadWhole(std::string_view text);

// "true", "false", "1", "0", in capital or small letters.
std::optional<Truth> ReadTruth(std::string_view text);

}  // namespace tidemill::expressions
