#include "supervisor/checks/time_guess.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/times/unix_time.h"
#include "records/time_reader.h"

namespace tidemill::supervisor {
namespace {

constexpr size_t kMaxGuesses = 2;

constexpr std::array<std::string_view, 13> kDates = {
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y",  "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%Y%m%d",   "%d %b %Y", "%b %d %Y", "%b %d, %Y", "%d-%b-%Y", "%d/%m/%y"};
// `.%f` reads times without a fraction, too.
constexpr std::array<std::string_view, 19> kClocks = {"",
                                                      " %H:%M",
                                                      " %H:%M:%S",
                                                      "T%H:%M",
                                                      "T%H:%M:%S",
                                                      " %H:%M:%S.%f",
                                                      "T%H:%M:%S.%f",
                                                      " %H:%M:%S%z",
                                                      " %H:%M:%S.%f%z",
                                                      "T%H:%M:%S.%f%z",
                                                      " %H:%M:%S.%f %z",
                                                      " %H:%M:%S.%f %Z",
                                                      " %H:%M%z",
                                                      "T%H:%M%z",
                                                      " %I:%M %p",
                                                      " %I:%M:%S %p",
                                                      " %I:%M:%S.%f %p",
                                                      ", %H:%M",
                                                      " %H"};
constexpr std::array<std::string_view, 7> kOthers = {
    "%m/%d/%y", "%d.%m.%y", "%Y%m%d%H%M%S", "%Y%m%d%H%M", "%Y%m%d%H", "%Y", "%Y-%m"};

bool ReadsAll(const std::string& format, const std::vector<std::string>& texts) {
  const auto reader = TimeReader::Create({.format = format});
  return reader.ok() && std::ranges::all_of(texts, [&](const std::string& text) {
           return reader->Read(text).ok();
         });
}

// The one unit that all numbers are likely to be of.
std::string_view UnixFormat(const std::vector<std::string>& texts) {
  const std::optional<UnixUnit> first = LikelyUnixUnit(texts.front());
  const bool all = first && std::ranges::all_of(texts, [&](const std::string& text) {
                     const std::optional<UnixUnit> unit = LikelyUnixUnit(text);
                     return unit && unit->format == first->format;
                   });
  return all ? first->format : "";
}

}  // namespace

std::vector<std::string> GuessTimeFormats(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  if (texts.empty()) return found;
  if (ReadsAll("", texts)) return {""};
  const auto try_format = [&](const std::string& format) {
    if (found.size() < kMaxGuesses && ReadsAll(format, texts)) found.push_back(format);
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
