#include "config/documents/document.h"

#include <algorithm>
#include <charconv>
#include <istream>
#include <sstream>
#include <utility>

#include "fmt/format.h"

#include "config/documents/overrides.h"
#include "config/documents/yaml_builder.h"

namespace tidemill::config {
namespace {

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t start = 0;;) {
    const size_t end = text.find('\n', start);
    std::string_view line = text.substr(start, end == text.npos ? text.npos : end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == text.npos) return lines;
    start = end + 1;
  }
}

// The length of the UTF-8 character at the start of `text`; 0 if it is malformed or a control
// character other than tab and line ends.
size_t LegalCharacter(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) {
    const bool legal =
        (first >= 0x20 && first != 0x7F) || first == '\t' || first == '\n' || first == '\r';
    return legal ? 1 : 0;
  }
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  return overlong || surrogate || (first == 0xF4 && second >= 0x90) ? 0 : length;
}

// The offset of the first illegal character, or npos.
size_t FirstIllegal(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = LegalCharacter(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

void GiveUp(Document& document, Position position, std::string message, std::string hint) {
  document.readable = false;
  document.problems.push_back({.file = document.name,
                               .position = position,
                               .message = std::move(message),
                               .hint = std::move(hint)});
}

// What is wrong with the amount of overrides; empty when nothing is.
std::string FaultOfOverrides(const Source& source) {
  if (source.overrides.size() > kMaxOverrides) {
    return fmt::format("{} values are set; the most is {}", source.overrides.size(), kMaxOverrides);
  }
  size_t num_bytes = source.text.size();
  for (const Override& set : source.overrides) num_bytes += set.path.size() + set.value.size();
  if (num_bytes <= source.max_bytes) return {};
  return fmt::format("with the values that are set, the document has more than {} bytes",
                     source.max_bytes);
}

// What is wrong with the variables; empty when nothing is.
std::string FaultOf(const std::map<std::string, std::string>& variables) {
  if (variables.size() > kMaxVariables) {
    return fmt::format("{} variables are defined; the most is {}", variables.size(), kMaxVariables);
  }
  for (const auto& [name, value] : variables) {
    if (name.size() <= kMaxVariableNameBytes) continue;
    return fmt::format("the name of a variable has {} bytes; the most is {}", name.size(),
                       kMaxVariableNameBytes);
  }
  return {};
}

void Parse(std::string_view text, const std::map<std::string, std::string>& variables,
           Document& document) {
  internal::YamlBuilder builder(document, variables);
  std::istringstream stream{std::string(text)};
  try {  // yaml-cpp reports by exceptions only.
    YAML::Parser parser(stream);
    while (document.readable && parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& failure) {
    builder.ReportFailure(failure);
  }
}

bool EndsStep(std::string_view path, size_t at) {
  return at == path.size() || path[at] == '.' || path[at] == '[';
}

std::optional<Step> StepIntoList(const Node& list, std::string_view path) {
  const bool bracketed = path.starts_with('[');
  const char* const begin = path.data() + (bracketed ? 1 : 0);
  Step step;
  const auto [end, error] = std::from_chars(begin, path.data() + path.size(), step.item);
  if (error != std::errc() || step.item >= list.items.size()) return std::nullopt;
  step.length = static_cast<size_t>(end - path.data());
  if (bracketed && !path.substr(step.length).starts_with(']')) return std::nullopt;
  step.length += bracketed ? 1 : 0;
  if (!EndsStep(path, step.length)) return std::nullopt;
  return step;
}

std::optional<Step> StepIntoMap(const Node& map, std::string_view path) {
  Step best;
  for (size_t i = 0; i < map.keys.size(); ++i) {
    const std::string& key = map.keys[i]->text;
    const bool matches = path.starts_with(key) && EndsStep(path, key.size());
    if (matches && key.size() > best.length) best = {key.size(), i};
  }
  if (best.length == 0) return std::nullopt;
  return best;
}

}  // namespace

const Node* Node::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]->text == key) return items[i].get();
  }
  return nullptr;
}

std::optional<Step> StepInto(const Node& node, std::string_view path) {
  if (node.kind == Node::Kind::kList) return StepIntoList(node, path);
  if (node.kind == Node::Kind::kMap) return StepIntoMap(node, path);
  return std::nullopt;
}

std::shared_ptr<const Document> ReadDocument(const Source& source) {
  auto document = std::make_shared<Document>();
  std::string_view text = source.text;
  document->name = source.name.empty() ? "<text>" : std::string(source.name);
  document->root = std::make_shared<Node>(Node{.position = {1, 1}});
  if (text.size() > source.max_bytes) {
    GiveUp(*document, {0, 0}, fmt::format("the document has more than {} bytes", source.max_bytes),
           "");
    return document;
  }
  std::string fault = FaultOf(source.variables);
  if (fault.empty()) fault = FaultOfOverrides(source);
  if (!fault.empty()) {
    GiveUp(*document, {0, 0}, fault, "");
    return document;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  document->lines = SplitLines(text);
  document->num_own_lines = document->lines.size();
  if (const size_t illegal = FirstIllegal(text); illegal != text.npos) {
    const std::string_view before = text.substr(0, illegal);
    const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    const auto column = static_cast<int>(illegal - (before.rfind('\n') + 1)) + 1;
    GiveUp(
        *document, {line, column},
        fmt::format("byte 0x{:02X} is not UTF-8 text", static_cast<unsigned char>(text[illegal])),
        "save the file as UTF-8");
    return document;
  }
  Parse(text, source.variables, *document);
  if (document->readable) internal::ApplyOverrides(source, *document);
  return document;
}

Place FindPlace(const Document& document, std::string_view path) {
  Place place{document.root.get(), nullptr};
  while (!path.empty()) {
    if (path.starts_with('.')) path.remove_prefix(1);
    const auto step = StepInto(*place.node, path);
    if (!step) break;
    const Node& node = *place.node;
    place.node = node.items[step->item].get();
    place.key = node.kind == Node::Kind::kMap ? node.keys[step->item].get() : nullptr;
    path.remove_prefix(step->length);
  }
  return place;
}

Spot Spot::Below(size_t i) const {
  const Node& parent = node();
  if (parent.kind == Node::Kind::kList) {
    return {{parent.items[i].get(), nullptr}, JoinPath(path, fmt::format("[{}]", i))};
  }
  const Node* key = parent.keys[i].get();
  return {{parent.items[i].get(), key}, JoinPath(path, key->text)};
}

std::string DescribeNode(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a section with keys";
    case Node::Kind::kScalar:
      break;
  }
  constexpr size_t kShown = 60;
  return fmt::format("'{}{}'", node.text.substr(0, kShown), node.text.size() > kShown ? "..." : "");
}

}  // namespace tidemill::config
