#include "cli/sweep/best_pipeline.h"

#include <optional>
#include <string_view>

#include "fmt/format.h"

#include "cli/terminal/text.h"
#include "config/config.h"
#include "config/documents/document.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

using config::Node;

// A text as lines without their ends.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

// The line of a node and the byte in it where the node begins.
struct Mark {
  std::string* line = nullptr;
  size_t begin = 0;
};

std::optional<Mark> MarkOf(const Node& node, std::vector<std::string>& lines) {
  const auto line = static_cast<size_t>(node.position.line);
  const auto column = static_cast<size_t>(node.position.column);
  if (node.position.line < 1 || line > lines.size() || node.position.column < 1) return {};
  if (column > lines[line - 1].size()) return {};
  return Mark{.line = &lines[line - 1], .begin = column - 1};
}

// A plain or quoted value that is in one line, unchanged.
bool Replace(const Node& node, const std::string& value, std::vector<std::string>& lines) {
  const auto mark = MarkOf(node, lines);
  if (node.kind != Node::Kind::kScalar || node.substituted || !mark) return false;
  for (const std::string& written : {node.text, "\"" + node.text + "\"", "'" + node.text + "'"}) {
    if (mark->line->compare(mark->begin, written.size(), written) != 0) continue;
    mark->line->replace(mark->begin, written.size(), value);
    return true;
  }
  return false;
}

// Adds a key before the first key of a section: in its own line, or within braces.
bool Insert(const Node& section, const std::string& key, const std::string& value,
            std::vector<std::string>& lines) {
  if (section.kind != Node::Kind::kMap || section.keys.empty()) return false;
  const auto mark = MarkOf(*section.keys.front(), lines);
  if (!mark) return false;
  const std::string before = mark->line->substr(0, mark->begin);
  const std::string entry = fmt::format("{}: {}", key, value);
  const size_t last = before.find_last_not_of(' ');
  if (last != std::string::npos && before[last] == '{') {
    mark->line->insert(mark->begin, entry + ", ");
    return true;
  }
  mark->line->insert(mark->begin, entry + "\n" + std::string(mark->begin, ' '));
  return true;
}

// Puts one value into the text. std::nullopt where it has no place for it.
std::optional<std::string> Put(const std::string& text, const PipelineFile& file,
                               const config::Override& set) {
  const auto document =
      config::ReadDocument({.text = text, .name = file.name, .variables = file.variables});
  if (!document->readable) return std::nullopt;
  std::vector<std::string> lines = LinesOf(text);
  const Node* node = document->root.get();
  std::string_view path = set.path;
  while (!path.empty()) {
    const auto step = config::StepInto(*node, path);
    if (!step) {
      const bool is_key = path.find_first_of(".[") == std::string_view::npos;
      if (!is_key || !Insert(*node, std::string(path), set.value, lines)) return std::nullopt;
      return Joined(lines);
    }
    node = node->items[step->item].get();
    path.remove_prefix(step->length);
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  if (!Replace(*node, set.value, lines)) return std::nullopt;
  return Joined(lines);
}

// The canonical text of a pipeline; std::nullopt when it is not valid.
std::optional<std::string> CanonicalOf(const std::string& text, const PipelineFile& file,
                                       const std::vector<config::Override>& values) {
  const auto read = config::Decode<supervisor::PipelineSpec>(
      {.text = text, .name = file.name, .variables = file.variables, .overrides = values});
  if (!read.problems.empty()) return std::nullopt;
  return config::Print(read.value);
}

}  // namespace

absl::StatusOr<PipelineWithValues> WithValues(const PipelineFile& file,
                                              const std::vector<config::Override>& values,
                                              const std::string& remark) {
  const auto wanted = CanonicalOf(file.text, file, values);
  if (!wanted) {
    return InvalidArgument("{} with the values of the setting is not valid", file.name);
  }
  std::optional<std::string> text = file.text;
  for (const config::Override& set : values) {
    if (text) text = Put(*text, file, set);
  }
  const std::string comment = fmt::format("# {}\n", OneLine(remark));
  // What has gone wrong in the text would be another pipeline.
  if (text && CanonicalOf(*text, file, {}) == wanted) {
    return PipelineWithValues{.text = comment + *text, .keeps_text = true};
  }
  return PipelineWithValues{.text = comment + *wanted, .keeps_text = false};
}

}  // namespace tidemill::cli
