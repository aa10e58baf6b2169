#include "cli/command_line/named_samples.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

constexpr std::string_view kAround = " \t\r";

std::string_view Stripped(std::string_view text) {
  const size_t from = text.find_first_not_of(kAround);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kAround) - from + 1);
}

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool AddObject(const nlohmann::json& object, NamedSamples& samples) {
  if (!object.is_object()) return false;
  const auto key = object.find("key");
  if (key != object.end() && key->is_number_integer()) {
    samples.keys.push_back(key->get<int64_t>());
    return true;
  }
  const auto file = object.find("file");
  const auto record = object.find("record");
  const bool is_place = file != object.end() && file->is_string() && record != object.end() &&
                        record->is_number_integer();
  if (is_place) samples.places.emplace_back(file->get<std::string>(), record->get<int64_t>());
  return is_place;
}

bool AddLine(std::string_view line, NamedSamples& samples) {
  if (line.front() == '{') {
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    return AddObject(object, samples);
  }
  if (const std::optional<int64_t> key = NumberIn(line)) {
    samples.keys.push_back(*key);
    return true;
  }
  const size_t blank = line.find_last_of(kAround);
  if (blank == std::string_view::npos) return false;
  const std::string_view path = Stripped(line.substr(0, blank));
  const std::optional<int64_t> position = NumberIn(line.substr(blank + 1));
  if (path.empty() || !position || *position < 0) return false;
  samples.places.emplace_back(path, *position);
  return true;
}

// The whole document of `datasets records --json`, or its list of records; std::nullopt when the
// text is no such one. Holds one record at a time.
std::optional<NamedSamples> AsDocument(std::string_view text) {
  NamedSamples samples;
  const int record_depth = text.front() == '[' ? 1 : 2;
  std::string list;
  bool names_all = true;
  const auto take = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& part) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::key && depth == 1) list = part.get<std::string>();
    const bool is_record = event == Event::object_end && depth == record_depth &&
                           (record_depth == 1 || list == "records");
    if (!is_record) return true;
    names_all = names_all && AddObject(part, samples);
    return false;
  };
  const nlohmann::json rest = nlohmann::json::parse(text, take, /*allow_exceptions=*/false);
  const bool is_document = rest.is_object() && rest.contains("records");
  const nlohmann::json& left = is_document ? rest["records"] : rest;
  if (!left.is_array() || !left.empty() || !names_all) return std::nullopt;
  return samples;
}

absl::Status TooLarge() {
  return ResourceExhausted("it is larger than {} MiB; name the samples in several files",
                           kMaxSampleFileBytes >> 20);
}

absl::StatusOr<std::string> ReadStandardInput() {
  std::string text;
  std::string part(size_t{1} << 16, '\0');
  while (std::cin.read(part.data(), std::ssize(part)) || std::cin.gcount() > 0) {
    text.append(part, 0, static_cast<size_t>(std::cin.gcount()));
    if (text.size() > kMaxSampleFileBytes) return TooLarge();
  }
  return text;
}

absl::StatusOr<std::string> ReadTextOf(const std::string& path) {
  struct stat info = {};
  const bool is_there = ::stat(path.c_str(), &info) == 0;
  if (is_there && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
    return InvalidArgument("it is neither a file nor a pipe; - reads stdin");
  }
  if (is_there && std::cmp_greater(info.st_size, kMaxSampleFileBytes)) return TooLarge();
  auto text = files::Read(path, kMaxSampleFileBytes);
  return absl::IsResourceExhausted(text.status()) ? TooLarge() : std::move(text);
}

}  // namespace

absl::StatusOr<NamedSamples> ReadKeys(std::string_view text) {
  NamedSamples samples;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view word = Stripped(text.substr(0, end));
    const std::optional<int64_t> key = NumberIn(word);
    if (!key) return InvalidArgument("'{}' is not a sample key", OneLine(word));
    samples.keys.push_back(*key);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return samples;
}

absl::StatusOr<NamedSamples> ReadNamedSamples(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    const std::string_view document = text.substr(first);
    if (std::optional<NamedSamples> samples = AsDocument(document)) return *std::move(samples);
  }
  NamedSamples samples;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || AddLine(line, samples)) continue;
    return InvalidArgument(
        "line {} names no sample: '{}'; write a key, or a file and the number of its record, or "
        "what `tidemill datasets records --json` prints",
        number, OneLine(line.substr(0, 80)));
  }
  return samples;
}

absl::StatusOr<NamedSamples> ReadSampleFile(const std::string& path) {
  const std::string where = path == "-" ? "stdin" : path;
  const absl::StatusOr<std::string> text = path == "-" ? ReadStandardInput() : ReadTextOf(path);
  RETURN_IF_ERROR(Annotate(text.status(), where));
  auto named = ReadNamedSamples(*text);
  RETURN_IF_ERROR(Annotate(named.status(), where));
  return named;
}

void RemoveRepetitions(NamedSamples& samples) {
  const auto unite = [](auto& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  unite(samples.keys);
  unite(samples.places);
}

}  // namespace tidemill::cli
