#include "cli/command_line/named_samples.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "nlohmann/json.hpp"

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

// The whole document of `datasets records --json`; std::nullopt when the text is no such one.
std::optional<NamedSamples> AsDocument(std::string_view text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return std::nullopt;
  const bool has_records = document.is_object() && document.contains("records");
  const nlohmann::json& records = has_records ? document["records"] : document;
  if (!records.is_array()) return std::nullopt;
  NamedSamples samples;
  for (const nlohmann::json& record : records) {
    if (!AddObject(record, samples)) return std::nullopt;
  }
  return samples;
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
    if (std::optional<NamedSamples> samples = AsDocument(text)) return *std::move(samples);
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

void RemoveRepetitions(NamedSamples& samples) {
  const auto unite = [](auto& values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  unite(samples.keys);
  unite(samples.places);
}

}  // namespace tidemill::cli
