#include "cli/init/look/jsonl_look.h"

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

constexpr size_t kMostFields = 500;
constexpr size_t kMostElements = 3;
constexpr size_t kMostLines = 100'000;
constexpr size_t kMostOfOthers = 5'000;
constexpr size_t kMostValues = size_t{4} << 20;

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
    if (value.is_structured() && levels == kMaxJsonSteps) {
      has_deeper_ |= !value.empty();
    } else if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) Add(inner, PathOf(path, name), levels + 1);
    } else if (value.is_array()) {
      for (size_t place = 0; place < std::min(value.size(), kMostElements); ++place) {
        Add(value[place], fmt::format("{}[{}]", path, place), levels + 1);
      }
    } else if (!seen_.contains(path)) {
      AddName(path);
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  bool has_deeper() const { return has_deeper_; }
  bool has_more() const { return has_more_; }

 private:
  void AddName(const std::string& path) {
    has_more_ |= names_.size() >= kMostFields;
    if (names_.size() >= kMostFields) return;
    seen_.insert(path);
    names_.push_back(path);
  }

  std::vector<std::string> names_;
  std::set<std::string> seen_;
  bool has_deeper_ = false;
  bool has_more_ = false;
};

struct SomeLines {
  std::vector<std::string_view> lines = {};
  bool whole = true;  // No line of the text is left.
};

// At most `most` lines of a text. `last`: the text ends where the file does.
SomeLines LinesOf(std::string_view text, bool last, size_t most) {
  SomeLines read;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos && !last) break;
    if (read.lines.size() >= most) {
      read.whole = false;
      break;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) read.lines.push_back(line);
  }
  return read;
}

// The whole lines of a part of a file.
struct LinesOfFile {
  size_t file = 0;
  std::vector<std::string_view> lines = {};
};

// The whole lines that were seen of the files.
std::vector<LinesOfFile> AllLines(const SeenData& data, bool& whole) {
  std::vector<LinesOfFile> parts;
  whole = data.seen.size() == data.paths.size();
  for (size_t place = 0; place < data.seen.size(); ++place) {
    const SeenFile& file = data.seen[place];
    const bool in_front = file.end.empty() && !file.is_cut;
    auto front = LinesOf(file.front, in_front, place == 0 ? kMostLines : kMostOfOthers);
    whole &= in_front && front.whole;
    parts.push_back({.file = place, .lines = std::move(front.lines)});
    const size_t first = file.end.find('\n');
    if (first == std::string::npos) continue;
    auto end = LinesOf(std::string_view(file.end).substr(first + 1), /*last=*/true, kMostLines);
    parts.push_back({.file = place, .lines = std::move(end.lines)});
  }
  return parts;
}

void AddRow(const JsonFields& fields, SampledTable& table) {
  ++table.num_rows;
  const auto values = fields.values();
  for (size_t column = 0; column < values.size(); ++column) {
    table.columns[column].values.emplace_back(IsSingle(values[column]) ? values[column].text
                                                                       : std::string_view());
  }
}

void AddRows(const LinesOfFile& part, JsonFields& fields, SampledTable& table) {
  const auto first_row = static_cast<size_t>(table.num_rows);
  for (const std::string_view line : part.lines) {
    table.num_bytes += static_cast<int64_t>(line.size() + 1);
    if (const auto read = fields.Read(line); read.ok()) {
      AddRow(fields, table);
    } else if (table.num_bad++ == 0) {
      table.first_bad = std::string(read.message());
    }
  }
  if (static_cast<size_t>(table.num_rows) > first_row) {
    table.parts.push_back({.first_row = first_row, .file = part.file});
  }
}

// The names in all lines: what only some lines have may be in any of them.
FieldNames NamesOf(const std::vector<LinesOfFile>& parts) {
  FieldNames names;
  for (const LinesOfFile& part : parts) {
    for (const std::string_view line : part.lines) {
      const auto object = ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (object.is_object()) names.Add(object, "");
    }
  }
  return names;
}

// If lines have many different fields, keeps as many lines of each part as memory allows. Returns
// whether some are left out.
bool KeepSome(size_t num_fields, std::vector<LinesOfFile>& parts) {
  size_t num_lines = 0;
  for (const LinesOfFile& part : parts) num_lines += part.lines.size();
  if (num_lines * num_fields <= kMostValues) return false;
  for (LinesOfFile& part : parts) {
    const size_t kept = part.lines.size() * kMostValues / (num_lines * num_fields);
    part.lines.resize(std::min(part.lines.size(), std::max<size_t>(1, kept)));
  }
  return true;
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
  std::vector<LinesOfFile> parts = AllLines(data, table.whole);
  const FieldNames names = NamesOf(parts);
  if (names.names().empty()) {
    const std::string depth =
        names.has_deeper() ? fmt::format(" at most {} levels deep", kMaxJsonSteps) : "";
    return InvalidArgument("no line of {} is a JSON object with a field{}; write one object a line",
                           data.seen.front().path, depth);
  }
  table.has_deeper = names.has_deeper();
  table.has_more = names.has_more();
  for (const std::string& name : names.names()) table.columns.push_back({name, {}});
  if (KeepSome(names.names().size(), parts)) table.whole = false;
  JsonFields fields(names.names());
  for (const LinesOfFile& part : parts) AddRows(part, fields, table);
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
