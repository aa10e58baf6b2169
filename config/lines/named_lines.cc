#include "config/lines/named_lines.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "config/config.h"

namespace tidemill::config {
namespace {

constexpr size_t kMaxLines = 20'000;
constexpr size_t kMaxBytes = size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<std::string> Lines(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LinesOf(std::string_view text, const std::string& name) {
  std::vector<std::string> lines = Lines(text);
  if (lines.empty()) return InvalidArgument("{} has no lines", name);
  if (lines.size() > kMaxLines) {
    return InvalidArgument("{} has {} lines, more than {}", name, lines.size(), kMaxLines);
  }
  std::set<std::string_view> seen;
  for (const std::string& line : lines) {
    if (!seen.insert(line).second) return InvalidArgument("{} has the line '{}' twice", name, line);
  }
  // The lines travel on in a document, which has to be readable.
  const auto read_back = Read<std::vector<std::string>>(Print(lines), name);
  if (!read_back.ok() || *read_back != lines) {
    return InvalidArgument("{} is not plain text in UTF-8", name);
  }
  return lines;
}

std::vector<std::string> ReadLines(NamedFiles& files, const std::string& name, std::string_view key,
                                   std::string_view hint, Problems& problems) {
  const auto text = files.Read(name, kMaxBytes, key, problems);
  if (!text) return {"?"};
  auto lines = LinesOf(*text, name);
  if (lines.ok()) return *std::move(lines);
  problems.Add(key, std::string(lines.status().message()), hint);
  return {"?"};
}

}  // namespace tidemill::config
