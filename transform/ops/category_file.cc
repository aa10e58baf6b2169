#include "transform/ops/category_file.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "config/config.h"

namespace tidemill::transform {
namespace {

constexpr size_t kMaxLines = 20'000;

std::vector<std::string> Lines(std::string_view text) {
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

absl::StatusOr<std::vector<std::string>> CategoriesOf(std::string_view text,
                                                      const std::string& name) {
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
  const auto read_back = config::Read<std::vector<std::string>>(config::Print(lines), name);
  if (!read_back.ok() || *read_back != lines) {
    return InvalidArgument("{} is not plain text in UTF-8", name);
  }
  return lines;
}

}  // namespace tidemill::transform
