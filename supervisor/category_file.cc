#include "supervisor/category_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/config.h"
#include "base/files.h"

namespace tidemill::supervisor {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 10;
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

absl::StatusOr<std::vector<std::string>> ReadCategories(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return InvalidArgument("there is no file {}", path);
  }
  const absl::StatusOr<std::string> text = files::Read(path, kMaxBytes);
  if (!text.ok()) return InvalidArgument("{}", std::string(text.status().message()));
  std::vector<std::string> lines = Lines(*text);
  if (lines.empty()) return InvalidArgument("{} has no lines", path);
  if (lines.size() > kMaxLines) {
    return InvalidArgument("{} has {} lines, more than {}", path, lines.size(), kMaxLines);
  }
  std::set<std::string_view> seen;
  for (const std::string& line : lines) {
    if (!seen.insert(line).second) return InvalidArgument("{} has '{}' twice", path, line);
  }
  // The lines travel on in a document, which has to be readable.
  const auto read_back = config::Read<std::vector<std::string>>(config::Print(lines), path);
  if (!read_back.ok() || *read_back != lines) {
    return InvalidArgument("{} is no plain text in UTF-8", path);
  }
  return lines;
}

}  // namespace tidemill::supervisor
