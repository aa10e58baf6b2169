#include "cli/init/jsonl_look.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "records/json_fields.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostLinesForNames = 500;
constexpr size_t kMostFields = 500;
constexpr size_t kMostElements = 3;
constexpr size_t kMostLines = 100'000;

// The path of a field within `path`: a.b, or a["b.c"] where the name cannot be a step of a path.
std::string PathOf(const std::string& path, const std::string& name) {
  if (path.empty()) return name;
  if (name.find_first_of(".[]\"\\") == std::string::npos && !name.empty()) return path + "." + name;
  std::string quoted;
  for (const char c : name) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return fmt::format("{}[\"{}\"]", path, quoted);
}

// Gathers the paths of single values, in the order in which they occur first.
class FieldNames {
 public:
  // `levels`: the objects and lists around it.
  void Add(const ordered_json& value, const std::string& path, size_t levels = 0) {
    if (names_.size() >= kMostFields) return;
    if (value.is_structured() && levels == kMaxJsonSteps) {
      has_deeper_ |= !value.empty();
    } else if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) Add(inner, PathOf(path, name), levels + 1);
    } else if (value.is_array()) {
      for (size_t place = 0; place < std::min(value.size(), kMostElements); ++place) {
        Add(value[place], fmt::format("{}[{}]", path, place), levels + 1);
      }
    } else if (seen_.insert(path).second) {
      names_.push_back(path);
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  bool has_deeper() const { return has_deeper_; }

 private:
  std::vector<std::string> names_;
  std::set<std::string> seen_;
  bool has_deeper_ = false;
};

// The lines of a text. `last`: the text ends where the file does.
std::vector<std::string_view> LinesOf(std::string_view text, bool last) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos && !last) break;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
  }
  return lines;
}

// The whole lines that were seen of the files.
std::vector<std::string_view> AllLines(const SeenData& data, bool& whole) {
  std::vector<std::string_view> lines;
  whole = data.seen.size() == data.paths.size();
  for (const SeenFile& file : data.seen) {
    const bool in_front = file.end.empty() && !file.is_cut;
    const auto front = LinesOf(file.front, in_front);
    whole &= in_front && front.size() < kMostLines;
    lines.insert(lines.end(), front.begin(), front.end());
    const size_t first = file.end.find('\n');
    if (first == std::string::npos) continue;
    const auto end = LinesOf(std::string_view(file.end).substr(first + 1), /*last=*/true);
    lines.insert(lines.end(), end.begin(), end.end());
  }
  return lines;
}

void AddRow(const JsonFields& fields, SampledTable& table) {
  ++table.num_rows;
  const auto values = fields.values();
  for (size_t column = 0; column < values.size(); ++column) {
    table.columns[column].values.emplace_back(IsSingle(values[column]) ? values[column].text
                                                                       : std::string_view());
  }
}

int64_t SizeInAll(const SeenData& data) {
  int64_t bytes = 0;
  for (const SeenFile& file : data.seen) bytes += file.size;
  const auto num_seen = static_cast<int64_t>(data.seen.size());
  return bytes / num_seen * static_cast<int64_t>(data.paths.size());
}

}  // namespace

absl::StatusOr<SampledTable> LookAtJsonLines(const SeenData& data) {
  SampledTable table;
  const std::vector<std::string_view> lines = AllLines(data, table.whole);
  FieldNames names;
  const size_t step = std::max<size_t>(1, lines.size() / kMostLinesForNames);
  for (size_t line = 0; line < lines.size(); line += step) {
    const auto object = ordered_json::parse(lines[line], nullptr, /*allow_exceptions=*/false);
    if (object.is_object()) names.Add(object, "");
  }
  if (names.names().empty()) {
    const std::string depth =
        names.has_deeper() ? fmt::format(" at most {} levels deep", kMaxJsonSteps) : "";
    return InvalidArgument("no line of {} is a JSON object with a field{}; write one object a line",
                           data.seen.front().path, depth);
  }
  table.has_deeper = names.has_deeper();
  for (const std::string& name : names.names()) table.columns.push_back({name, {}});
  JsonFields fields(names.names());
  for (const std::string_view line : lines) {
    table.num_bytes += static_cast<int64_t>(line.size() + 1);
    if (const auto read = fields.Read(line); read.ok()) {
      AddRow(fields, table);
    } else if (table.num_bad++ == 0) {
      table.first_bad = std::string(read.message());
    }
  }
  if (table.num_rows == 0) {
    return InvalidArgument("no line of {} can be read: {}", data.seen.front().path,
                           table.first_bad);
  }
  table.num_rows_in_all =
      table.whole ? table.num_rows
                  : SizeInAll(data) * table.num_rows / std::max<int64_t>(1, table.num_bytes);
  return table;
}

}  // namespace tidemill::cli
