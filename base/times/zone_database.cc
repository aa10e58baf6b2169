#include "base/times/zone_database.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/strings/ascii.h"

#include "base/printable.h"
#include "base/times/civil_time.h"

namespace tidemill {
namespace {

bool IsName(const std::string& name) {
  constexpr size_t kMaxBytes = 64;  // The longest name of the database has 32.
  const auto may_hold = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '+' || c == '-' ||
           c == '/';
  };
  return !name.empty() && name.size() <= kMaxBytes &&
         absl::ascii_isalpha(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, may_hold);
}

// abseil keeps every name that it was ever asked for, so a name is looked for first.
bool IsInDatabase(const std::string& name) {
  const char* const folder = std::getenv("TZDIR");
  std::error_code error;
  return std::filesystem::is_regular_file(
      std::filesystem::path(folder == nullptr ? "/usr/share/zoneinfo" : folder) / name, error);
}

}  // namespace

absl::StatusOr<absl::TimeZone> LoadZone(const std::string& name) {
  if (name == "UTC") return absl::UTCTimeZone();
  std::string_view text = name;
  std::optional<int> offset;
  if (TakeOffset(text, offset) && text.empty()) return absl::FixedTimeZone(*offset);
  absl::TimeZone zone;
  if (!IsName(name) || !IsInDatabase(name) || !absl::LoadTimeZone(name, &zone)) {
    return InvalidArgument("time zone {} is unknown", Quoted(name));
  }
  return zone;
}

}  // namespace tidemill
