#include "base/numbers/written_number.h"

#include <algorithm>
#include <array>

namespace tidemill {
namespace {

constexpr size_t kGroup = 3;
// No-break space, narrow no-break space, thin space.
constexpr std::array<std::string_view, 3> kBlanks = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
constexpr std::string_view kApostrophe = "\xe2\x80\x99";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSign(char c) { return c == '-' || c == '+'; }

// The size of a blank at the front, or at the back, of a text; 0 when there is none.
size_t BlankAtFront(std::string_view text) {
  if (text.starts_with(' ') || text.starts_with('\t')) return 1;
  for (const std::string_view blank : kBlanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}
size_t BlankAtBack(std::string_view text) {
  if (text.ends_with(' ') || text.ends_with('\t')) return 1;
  for (const std::string_view blank : kBlanks) {
    if (text.ends_with(blank)) return blank.size();
  }
  return 0;
}

void RemoveBlanks(std::string_view& text) {
  while (const size_t size = BlankAtFront(text)) text.remove_prefix(size);
  while (const size_t size = BlankAtBack(text)) text.remove_suffix(size);
}

// Removes the sign and the unit. The sign is before the unit ("-$5") or after it ("$-5").
char TakeSignAndUnit(std::string_view unit, std::string_view& text) {
  char sign = '\0';
  const auto take_sign = [&] {
    if (sign != '\0' || text.empty() || !IsSign(text.front())) return;
    sign = text.front();
    text.remove_prefix(1);
    RemoveBlanks(text);
  };
  RemoveBlanks(text);
  if (unit.empty()) {
    if (!text.empty() && IsSign(text.front())) {
      sign = text.front();
      text.remove_prefix(1);
    }
    return sign;
  }
  take_sign();
  if (text.starts_with(unit)) {
    text.remove_prefix(unit.size());
    RemoveBlanks(text);
    take_sign();
  } else if (text.ends_with(unit)) {
    text.remove_suffix(unit.size());
    RemoveBlanks(text);
  }
  return sign;
}

// The size of the separator of groups at the front of a text; 0 when there is none.
size_t SeparatorAtFront(std::string_view text, char thousands) {
  if (thousands == ' ') return text.starts_with('\t') ? 0 : BlankAtFront(text);
  if (text.starts_with(thousands)) return 1;
  return thousands == '\'' && text.starts_with(kApostrophe) ? kApostrophe.size() : 0;
}

// Appends the whole part, without the separators of its groups. Returns whether all groups but the
// first one have three digits.
bool AppendWhole(std::string_view& text, char thousands, std::string& to) {
  size_t in_group = 0, num_groups = 1;
  while (!text.empty()) {
    if (IsDigit(text.front())) {
      to += text.front();
      text.remove_prefix(1);
      ++in_group;
      continue;
    }
    const size_t separator = thousands == '\0' ? 0 : SeparatorAtFront(text, thousands);
    if (separator == 0) break;
    // The first group is not 0: 0,123 has a fraction.
    const bool fits = num_groups == 1
                          ? in_group > 0 && in_group <= kGroup && to[to.size() - in_group] != '0'
                          : in_group == kGroup;
    if (!fits) return false;
    text.remove_prefix(separator);
    in_group = 0;
    ++num_groups;
  }
  return num_groups == 1 || in_group == kGroup;
}

}  // namespace

std::optional<std::string_view> PlainNumber(std::string_view text, const NumberNotation& notation,
                                            std::string& to) {
  if (notation.is_plain()) return text;
  to.clear();
  const char sign = TakeSignAndUnit(notation.unit, text);
  if (sign == '-') to += sign;
  if (!AppendWhole(text, notation.thousands, to)) return std::nullopt;
  if (text.starts_with(notation.decimal)) {
    to += '.';
    text.remove_prefix(1);
  }
  // A second separator is not part of a number, nor is a second sign.
  const bool begins = !text.empty() && IsSign(text.front());
  if (begins || text.find_first_of(".,") != std::string_view::npos) return std::nullopt;
  to += text;
  if (to.empty() || to == "-") return std::nullopt;
  return to;
}

std::optional<std::string_view> UnitOf(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  RemoveBlanks(text);
  if (!text.empty() && IsSign(text.front())) text.remove_prefix(1);
  const size_t first = text.find_first_of(kDigits);
  if (first == std::string_view::npos) return std::nullopt;
  std::string_view before = text.substr(0, first);
  std::string_view after = text.substr(text.find_last_of(kDigits) + 1);
  // Signs and separators belong to the number.
  while (!before.empty() &&
         (IsSign(before.back()) || before.back() == '.' || before.back() == ',')) {
    before.remove_suffix(1);
  }
  if (after.starts_with('.') || after.starts_with(',')) after.remove_prefix(1);
  RemoveBlanks(before);
  RemoveBlanks(after);
  if (!before.empty() && !after.empty()) return std::nullopt;
  const std::string_view core = text.substr(first, text.find_last_of(kDigits) + 1 - first);
  const bool apart = std::ranges::any_of(core, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == ':' || c == '-';
  });
  if (apart) return std::nullopt;
  return before.empty() ? after : before;
}

}  // namespace tidemill
