#include "expressions/read_values.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/numbers/number_text.h"

namespace tidemill::expressions {

namespace {

template <typename T>
std::optional<T> Read(std::string_view text) {
  text = WithoutBlanks(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = tidemill::ReadNumber(text, value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return text.substr(0, 0);
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<double> ReadNumber(std::string_view text, const NumberNotation& notation) {
  std::optional<double> number;
  if (notation.is_plain()) {
    number = Read<double>(text);
  } else {
    std::string with_point;
    const auto plain = PlainNumber(WithoutBlanks(text), notation, with_point);
    number = plain ? Read<double>(*plain) : std::nullopt;
  }
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<int64_t> ReadWhole(std::string_view text) {
  const std::optional<int64_t> whole = Read<int64_t>(text);
  return whole == kNullWhole ? std::nullopt : whole;
}

std::optional<Truth> ReadTruth(std::string_view text) {
  text = WithoutBlanks(text);
  if (text == "1" || SameWord(text, "true")) return Truth::kTrue;
  if (text == "0" || SameWord(text, "false")) return Truth::kFalse;
  return std::nullopt;
}

}  // namespace tidemill::expressions
