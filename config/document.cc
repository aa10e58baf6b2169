#include "config/document.h"

#include <algorithm>
#include <charconv>
#include <istream>
#include <sstream>
#include <utility>

#include "fmt/format.h"

#include "config/yaml_builder.h"

namespace tidemill::config::internal {
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
  YamlBuilder builder(document, variables);
  std::istringstream stream{std::string(text)};
  try {  // yaml-cpp reports by exceptions only.
    YAML::Parser parser(stream);
    while (document.readable && parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& failure) {
    builder.ReportFailure(failure);
  }
}

// The part of `path` that names a child of `node`: its length with the separator, and the child.
struct Step {
  size_t length = 0;
  Place place;
};

Step StepIntoList(const Node& node, std::string_view path) {
  const size_t close = path.find(']');
  size_t index = 0;
  if (!path.starts_with('[') || close == path.npos) return {};
  std::from_chars(path.data() + 1, path.data() + close, index);
  if (index >= node.items.size()) return {};
  return {close + 1, {node.items[index].get(), nullptr}};
}

Step StepIntoMap(const Node& node, std::string_view path) {
  Step best;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string& key = node.keys[i]->text;
    const bool matches =
        path.starts_with(key) &&
        (path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[');
    if (matches && key.size() > best.length) {
      best = {key.size(), {node.items[i].get(), node.keys[i].get()}};
    }
  }
  return best;
}

}  // namespace

const Node* Node::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]->text == key) return items[i].get();
  }
  return nullptr;
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
  if (const std::string fault = FaultOf(source.variables); !fault.empty()) {
    GiveUp(*document, {0, 0}, fault, "");
    return document;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  document->lines = SplitLines(text);
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
  return document;
}

Place FindPlace(const Document& document, std::string_view path) {
  Place place{document.root.get(), nullptr};
  while (!path.empty()) {
    if (path.starts_with('.')) path.remove_prefix(1);
    const Step step = place.node->kind == Node::Kind::kList  ? StepIntoList(*place.node, path)
                      : place.node->kind == Node::Kind::kMap ? StepIntoMap(*place.node, path)
                                                             : Step{};
    if (step.length == 0) break;
    place = step.place;
    path.remove_prefix(step.length);
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

}  // namespace tidemill::config::internal
