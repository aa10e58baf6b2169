// Reads numbers in the notations in which people write them: 1,234.50, 1.234,50, 12.5 kg, $1,200.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/numbers/number_text.h"

namespace tidemill {

// How the numbers of a column are written. The number in a text of another notation is not guessed:
// it is not a number.
struct NumberNotation {
  char decimal = '.';  // Before the fraction.
  // Between groups of three digits; '\0': digits are not grouped, and a point, or a comma, that is
  // not `decimal` is not part of a number. ' ' also means blanks that do not break, '\'' also
  // U+2019.
  char thousands = '\0';
  // A text that may be written before or after a number: "kg", "$", "%".
  std::string unit = {};

  bool is_plain() const { return decimal == '.' && thousands == '\0' && unit.empty(); }

  friend bool operator==(const NumberNotation&, const NumberNotation&) = default;
};

// The notations of a dataset's numbers: one for all columns, and the units of some of them.
struct NumberNotations {
  char decimal = '.';
  char thousands = '\0';
  std::map<std::string, std::string, std::less<>> units = {};  // By column.

  NumberNotation Of(std::string_view column) const {
    const auto unit = units.find(column);
    return {.decimal = decimal,
            .thousands = thousands,
            .unit = unit == units.end() ? std::string() : unit->second};
  }
  // The notation of numbers that are in no column.
  NumberNotation OfAll() const { return {.decimal = decimal, .thousands = thousands, .unit = {}}; }

  friend bool operator==(const NumberNotations&, const NumberNotations&) = default;
};

// Returns the number with a point before the fraction, and nothing else beside its digits, sign and
// exponent. The result is a view of `text` or of `to`. std::nullopt for a text that is not written
// so: its groups have not three digits, or it has another separator.
std::optional<std::string_view> PlainNumber(std::string_view text, const NumberNotation& notation,
                                            std::string& to);

// Returns the text beside the digits of a number: "kg" of "12.5 kg", "$" of "-$1,200". std::nullopt
// for a text without digits, one with texts on both sides, and one with digits apart.
std::optional<std::string_view> UnitOf(std::string_view text);

// Notations of decimal and thousands in which people write, the most frequent first. The first ones
// have no groups.
inline constexpr std::array<std::pair<char, char>, 7> kUsualNotations = {
    {{'.', '\0'}, {',', '\0'}, {'.', ','}, {',', '.'}, {'.', '\''}, {',', ' '}, {'.', ' '}}};

// Returns the text without the blanks around it.
inline std::string_view WithoutBlanksAround(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Parses `text` as a T. Returns why it is not a T, or std::nullopt when `value` was set.
template <typename T>
std::optional<std::string_view> ParseWrittenNumber(std::string_view text, T& value) {
  text = WithoutBlanksAround(text);
  if (text.empty()) return "is empty";
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = ReadNumber(text, value);
  if (error == std::errc::result_out_of_range) return "is out of range";
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::is_integral_v<T> ? "is not a whole number" : "is not a number";
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return "is not a finite number";
  }
  return std::nullopt;
}

// Does the same for a number in a notation.
template <typename T>
std::optional<std::string_view> ParseWrittenNumber(std::string_view text,
                                                   const NumberNotation& notation, T& value) {
  if (notation.is_plain()) return ParseWrittenNumber(text, value);
  text = WithoutBlanksAround(text);
  if (text.empty()) return "is empty";
  std::string with_point;
  const auto plain = PlainNumber(text, notation, with_point);
  if (!plain) return std::is_integral_v<T> ? "is not a whole number" : "is not a number";
  return ParseWrittenNumber(*plain, value);
}

}  // namespace tidemill
