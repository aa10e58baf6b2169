#include "config/printed/difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "fmt/format.h"

#include "config/documents/problems.h"

namespace tidemill::config {
namespace {

constexpr size_t kMaxPathsShown = 5;
constexpr size_t kLongestValue = 120;

// The scalars and lists on one line of a canonical document, by their paths.
class Flattened {
 public:
  explicit Flattened(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      Take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const std::map<std::string, std::string>& values() const { return values_; }
  // In the order of the document.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  struct Level {
    size_t indent;
    std::string path;
    int num_items = 0;
  };

  // What `indent` is below.
  Level& LevelOf(size_t indent) {
    while (!levels_.empty() && levels_.back().indent > indent) levels_.pop_back();
    if (levels_.empty() || levels_.back().indent < indent) {
      levels_.push_back({.indent = indent, .path = next_});
    }
    return levels_.back();
  }

  void Take(std::string_view line) {
    size_t indent = std::min(line.find_first_not_of(' '), line.size());
    while (line.substr(indent).starts_with("- ")) {
      Level& level = LevelOf(indent);
      next_ = fmt::format("{}[{}]", level.path, level.num_items++);
      indent += 2;
    }
    const std::string_view rest = line.substr(indent);
    const size_t colon = EndOfKey(rest);
    if (colon == std::string_view::npos) return Set(next_, rest);
    const std::string path = JoinPath(LevelOf(indent).path, rest.substr(0, colon));
    next_ = path;
    if (colon + 2 < rest.size()) Set(path, rest.substr(colon + 2));
  }

  // The place of the colon after a key, in quotes or not.
  static size_t EndOfKey(std::string_view text) {
    size_t at = 0;
    if (text.starts_with('"')) {
      for (at = 1; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    }
    const size_t colon = text.find(':', at);
    const bool ends =
        colon != std::string_view::npos && (colon + 1 == text.size() || text[colon + 1] == ' ');
    return ends && !text.starts_with('[') ? colon : std::string_view::npos;
  }

  void Set(const std::string& path, std::string_view value) {
    if (values_.emplace(path, value).second) paths_.push_back(path);
  }

  std::vector<Level> levels_;
  std::string next_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> paths_;
};

std::string ValueIn(const Flattened& document, const std::string& path) {
  const auto found = document.values().find(path);
  if (found == document.values().end()) return "absent";
  return found->second.size() <= kLongestValue ? found->second
                                               : found->second.substr(0, kLongestValue) + "...";
}

}  // namespace

std::string DescribeDifference(std::string_view before, std::string_view now) {
  const Flattened old_values(before), new_values(now);
  std::vector<std::string> paths = new_values.paths();
  for (const std::string& path : old_values.paths()) {
    if (!new_values.values().contains(path)) paths.push_back(path);
  }
  std::erase_if(paths, [&](const std::string& path) {
    const auto was = old_values.values().find(path);
    const auto is = new_values.values().find(path);
    return was != old_values.values().end() && is != new_values.values().end() &&
           was->second == is->second;
  });
  std::string text;
  for (size_t i = 0; i < std::min(paths.size(), kMaxPathsShown); ++i) {
    text += fmt::format("{}{} is now {} and was {}", i == 0 ? "" : "; ", paths[i],
                        ValueIn(new_values, paths[i]), ValueIn(old_values, paths[i]));
  }
  if (paths.size() > kMaxPathsShown)
    text += fmt::format("; and {} more", paths.size() - kMaxPathsShown);
  return text;
}

}  // namespace tidemill::config
