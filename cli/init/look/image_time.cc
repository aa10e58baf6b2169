#include "cli/init/look/image_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "base/time.h"
#include "records/time_reader.h"

namespace tidemill::cli {
namespace {

// A pattern of paths that holds times.
std::optional<std::string> TimeInPaths(const SeenData& data) {
  constexpr std::array<std::string_view, 8> kPatterns = {
      "%Y-%m-%d/*",       "%Y/%m/%d/*",           "%Y%m%d/*",    "*/%Y-%m-%d/*",
      "*/%Y%m%d_%H%M%S*", "*/IMG_%Y%m%d_%H%M%S*", "*/%Y-%m-%d*", "*/%Y%m%d*"};
  const Timestamp least = ParseTimestamp("1980-01-01").value_or(Timestamp());
  const Timestamp greatest = ParseTimestamp("2100-01-01").value_or(Timestamp());
  for (const std::string_view pattern : kPatterns) {
    const auto reader = TimeReader::Create({.format = std::string(pattern)});
    if (!reader.ok()) continue;
    const bool all = std::ranges::all_of(data.paths, [&](const std::string& path) {
      const auto time = reader->ReadFromPath(path);
      return time.ok() && *time >= least && *time < greatest;
    });
    if (all) return std::string(pattern);
  }
  return std::nullopt;
}

// A pattern of paths that ends in numbers, which many tools give to files of a class.
std::optional<std::string> NumbersInPaths(const SeenData& data) {
  const std::string extension = data.files.substr(data.files.rfind('/') + 1);
  const size_t dot = extension.find('.');
  if (dot == std::string::npos) return std::nullopt;
  for (const char* const before : {"*/%f", "*_%f", "*-%f", "*.%f"}) {
    std::string pattern = before + extension.substr(dot);
    const auto reader = TimeReader::Create({.format = pattern});
    const bool all = reader.ok() && std::ranges::all_of(data.paths, [&](const std::string& path) {
                       return reader->ReadFromPath(path).ok();
                     });
    if (all) return pattern;
  }
  return std::nullopt;
}

// Whether images of all classes come in turns when they are ordered by the time of modification.
bool AreMixedByModification(const SeenData& data) {
  std::vector<size_t> order(data.paths.size());
  for (size_t place = 0; place < order.size(); ++place) order[place] = place;
  std::ranges::stable_sort(order, {}, [&](size_t place) { return data.modified[place]; });
  std::map<std::string, double> counts;
  double changes = 0, expected = 0;
  const auto rows = static_cast<double>(order.size());
  for (size_t at = 0; at < order.size(); ++at) {
    const std::string name = FolderOfImage(data.paths[order[at]]);
    ++counts[name];
    changes += at > 0 && name != FolderOfImage(data.paths[order[at - 1]]);
  }
  for (const auto& [name, count] : counts) expected += count * (1 - count / rows);
  return changes >= expected / 2;
}

// Times that mean nothing but an order.
Guess OrderOfImages(const SeenData& data) {
  Guess guess{.key = "event_time",
              .unknown =
                  "when the images were made: neither their paths nor their Exif data say it, "
                  "so what the run says about time means nothing"};
  const std::string none = "neither paths nor Exif data say a time";
  guess.value = "{mtime: true}";
  if (AreMixedByModification(data)) {
    guess.reason = none + "; the images are taken in the order in which they were modified";
  } else if (const auto numbers = NumbersInPaths(data)) {
    guess.value = YamlMap({"path: " + YamlText(*numbers)});
    guess.reason = none +
                   ", and the files were modified class by class; the numbers in their names, as "
                   "fractions of a second, are an order in which the classes are mixed";
  } else {
    guess.reason = none +
                   "; the images are taken in the order in which they were modified, which "
                   "is class by class";
    guess.unknown +=
        "; a training sees only the classes that come first, so write dates or numbers into the "
        "names of the files, or set their times of modification (touch -d)";
  }
  return guess;
}

}  // namespace

Guess TimeOfImages(const SeenData& data, int64_t num_with_exif, int64_t num_looked_at,
                   bool& is_known) {
  is_known = true;
  if (const auto pattern = TimeInPaths(data)) {
    return {.key = "event_time",
            .value = YamlMap({"path: " + YamlText(*pattern)}),
            .reason = "every path holds a date"};
  }
  if (num_with_exif * 10 >= num_looked_at * 9) {
    return {.key = "event_time",
            .value = "{exif: true}",
            .reason =
                fmt::format("{} of {} files that were looked at say when the photograph was taken",
                            num_with_exif, num_looked_at)};
  }
  is_known = false;
  return OrderOfImages(data);
}

std::string FolderOfImage(const std::string& path) {
  const size_t name = path.rfind('/');
  if (name == std::string::npos) return "";
  const std::string folder = path.substr(0, name);
  return folder.substr(folder.rfind('/') + 1);
}

}  // namespace tidemill::cli
