#include "expressions/mistake.h"

#include <algorithm>

namespace tidemill::expressions {

namespace {

// A long expression is shown from a little before the mistake on.
std::string Shown(std::string_view text, size_t at) {
  constexpr size_t kMax = 80;
  constexpr size_t kBefore = 30;
  const bool cut_begin = text.size() > kMax && at > kBefore;
  size_t begin = cut_begin ? at - kBefore : 0;
  // Not in the middle of a character.
  while (begin > 0 && begin < text.size() && (text[begin] & 0xC0) == 0x80) --begin;
  size_t end = std::min(text.size(), begin + kMax);
  while (end > begin && end < text.size() && (text[end] & 0xC0) == 0x80) --end;
  std::string shown(text.substr(begin, end - begin));
  std::ranges::replace(shown, '\n', ' ');
  return (begin > 0 ? "..." : "") + shown + (end < text.size() ? "..." : "");
}

}  // namespace

std::string PlaceIn(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const size_t line_begin =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view in_line = before.substr(line_begin);
  const auto column = 1 + std::ranges::count_if(in_line, [](char c) { return (c & 0xC0) != 0x80; });
  if (text.find('\n') == std::string_view::npos) return fmt::format("column {}", column);
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'), column);
}

absl::Status MistakeAt(std::string_view text, size_t at, std::string_view message) {
  return InvalidArgument("{} of '{}': {}", PlaceIn(text, at), Shown(text, at), message);
}

}  // namespace tidemill::expressions
