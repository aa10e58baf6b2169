#include "supervisor/pipeline/time_guess.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "records/time_reader.h"

namespace tidemill::supervisor {
namespace {

constexpr size_t kMostGuesses = 2;

constexpr std::array<std::string_view, 13> kDates = {
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y",  "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%Y%m%d",   "%d %b %Y", "%b %d %Y", "%b %d, %Y", "%d-%b-%Y", "%d/%m/%y"};
constexpr std::array<std::string_view, 9> kClocks = {
    "",          " %H:%M",       " %H:%M:%S",    "T%H:%M",
    "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f", " %H:%M:%S%z",
    " %H"};
constexpr std::array<std::string_view, 4> kOthers = {"%m/%d/%y", "%d.%m.%y", "%Y", "%Y-%m"};

bool ReadsAll(const std::string& format, const std::vector<std::string>& texts) {
  const auto reader = TimeReader::Create(format, "UTC");
  return reader.ok() && std::ranges::all_of(texts, [&](const std::string& text) {
           return reader->Read(text).ok();
         });
}

// Numbers of so many digits that they count from 1970 and lie in 1973 or later.
std::string_view UnixFormat(const std::vector<std::string>& texts) {
  const auto digits = [](const std::string& text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  };
  const size_t fewest = digits(*std::ranges::min_element(texts, {}, digits));
  if (fewest < 9) return "";
  return fewest < 12 ? "unix" : fewest < 15 ? "unix_ms" : "unix_us";
}

}  // namespace

std::vector<std::string> GuessTimeFormats(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  if (texts.empty()) return found;
  if (ReadsAll("", texts)) return {""};
  const auto try_format = [&](const std::string& format) {
    if (found.size() < kMostGuesses && ReadsAll(format, texts)) found.push_back(format);
  };
  for (const std::string_view clock : kClocks) {
    for (const std::string_view date : kDates) try_format(std::string(date) + std::string(clock));
  }
  for (const std::string_view other : kOthers) try_format(std::string(other));
  if (const std::string_view format = UnixFormat(texts); found.empty() && !format.empty()) {
    try_format(std::string(format));
  }
  return found;
}

}  // namespace tidemill::supervisor
