#include "base/names.h"

#include <algorithm>

#include "base/printable.h"

namespace tidemill {
namespace {

// The part of a refused name that the message shows.
constexpr size_t kShownBytes = 80;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsOfNames(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-' || c == '.'; }

std::string Shown(std::string_view name) {
  if (name.size() <= kShownBytes) return Printable(name);
  return Printable(name.substr(0, kShownBytes)) + "...";
}

}  // namespace

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '-' &&
         name.front() != '.' && std::all_of(name.begin(), name.end(), IsOfNames);
}

std::string NoNameFor(std::string_view what, std::string_view name) {
  return fmt::format("'{}' cannot name a {}", Shown(name), what);
}

std::string NameRule() {
  return fmt::format("use up to {} letters, digits, '_', '-' and '.'; do not begin with '-' or '.'",
                     kMaxNameBytes);
}

absl::Status CheckName(std::string_view what, std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  return InvalidArgument("{}: {}", NoNameFor(what, name), NameRule());
}

absl::StatusOr<std::string> CheckedNamespace(std::string_view given) {
  if (given.empty()) return std::string("default");
  RETURN_IF_ERROR(CheckName("namespace", given));
  return std::string(given);
}

absl::Status CheckLabel(std::string_view what, std::string_view label) {
  if (label.empty()) return InvalidArgument("the {} is empty", what);
  if (label.size() > kMaxLabelBytes) {
    return InvalidArgument("the {} '{}' has {} bytes; {} are allowed", what, Shown(label),
                           label.size(), kMaxLabelBytes);
  }
  if (IsPrintable(label)) return absl::OkStatus();
  return InvalidArgument("the {} '{}' has invisible characters, or is not UTF-8", what,
                         Shown(label));
}

}  // namespace tidemill
