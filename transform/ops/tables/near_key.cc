#include "transform/ops/tables/near_key.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "transform/ops/records/number_text.h"
#include "utf8proc.h"

namespace tidemill::transform {
namespace {

// Other ways to write a text that is a whole number.
void AddNumbers(std::string_view text, std::set<std::string>& others) {
  constexpr double kMost = 1e15;
  constexpr size_t kMostDigits = 12;
  double number = 0;
  if (ParseNumber(text, number) || std::trunc(number) != number || std::abs(number) > kMost) return;
  const std::string whole = fmt::format("{}", static_cast<int64_t>(number));
  others.insert(whole);
  others.insert(whole + ".0");
  others.insert(" " + whole);
  for (std::string padded = whole; padded.size() < kMostDigits;) {
    padded.insert(0, "0");
    others.insert(padded);
  }
}

// The text with its letters and marks composed or decomposed; empty when it is not UTF-8.
std::string Normalized(const std::string& text, int option) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | option));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
  if (size <= 0) return "";
  return {reinterpret_cast<const char*>(made), static_cast<size_t>(size)};
}

// Other ways to write a text.
std::set<std::string> OthersOf(const std::string& text) {
  const std::string trimmed(absl::StripAsciiWhitespace(text));
  std::string title = absl::AsciiStrToLower(trimmed);
  if (!title.empty()) title[0] = absl::ascii_toupper(static_cast<unsigned char>(title[0]));
  std::set<std::string> others = {trimmed,
                                  absl::AsciiStrToLower(trimmed),
                                  absl::AsciiStrToUpper(trimmed),
                                  title,
                                  " " + trimmed,
                                  trimmed + " ",
                                  Normalized(trimmed, UTF8PROC_COMPOSE),
                                  Normalized(trimmed, UTF8PROC_DECOMPOSE)};
  AddNumbers(trimmed, others);
  others.erase(text);
  others.erase("");
  return others;
}

bool IsIn(const JoinedTable& table, const std::vector<KeyPart>& key) {
  KeyBytes bytes(key.size());
  bytes.Clear();
  for (const KeyPart& part : key) {
    if (part.text) {
      bytes.Add(*part.text);
    } else {
      bytes.Add(part.number);
    }
  }
  return table.Find(bytes.view()).has_value();
}

std::string Shown(const std::vector<KeyPart>& key) {
  std::string shown;
  for (const KeyPart& part : key) {
    if (!shown.empty()) shown += ", ";
    shown += part.text ? Quoted(*part.text) : fmt::format("{}", part.number);
  }
  return shown;
}

}  // namespace

std::optional<std::string> FindNearKey(const JoinedTable& table, const std::vector<KeyPart>& key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (!key[i].text) continue;
    std::vector<KeyPart> other = key;
    for (const std::string& text : OthersOf(*key[i].text)) {
      other[i].text = text;
      if (IsIn(table, other)) return Shown(other);
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::transform
