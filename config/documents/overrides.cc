#include "config/documents/overrides.h"

#include <memory>
#include <utility>

#include "fmt/format.h"

namespace tidemill::config {
namespace internal {
namespace {

using NodePointer = std::shared_ptr<const Node>;

constexpr size_t kMaxPathBytes = 1'000;

// Puts one value into a tree. The nodes on the way are copied, because aliases share them.
class Setter {
 public:
  // `line` is the line of the override among the lines of the document.
  Setter(const Override& set, int line, NodePointer value, Document& document)
      : set_(set), line_(line), value_(std::move(value)), document_(document) {}

  // Returns `node` with the value at `path`, which is the end of the override's path.
  NodePointer Put(const NodePointer& node, std::string_view path);

  void Report(std::string message, std::string hint = "");

 private:
  NodePointer PutIntoMap(const Node& map, std::string_view path);
  NodePointer PutIntoList(const NodePointer& list, std::string_view path);
  NodePointer PutIntoScalar(const NodePointer& scalar, std::string_view path);
  NodePointer PutAt(const Node& parent, const Step& step, std::string_view path);
  // A key or a section that the override adds, at the begin of `path`.
  Node Added(Node::Kind kind, std::string_view path, size_t length) const;
  static std::string_view Below(std::string_view path, size_t length);
  static size_t LengthOfKey(std::string_view path);

  const Override& set_;
  int line_;
  NodePointer value_;
  Document& document_;
};

NodePointer Setter::Put(const NodePointer& node, std::string_view path) {
  if (path.empty()) return value_;
  switch (node->kind) {
    case Node::Kind::kList:
      return PutIntoList(node, path);
    case Node::Kind::kScalar:
      return PutIntoScalar(node, path);
    case Node::Kind::kNull: {
      Node section = *node;
      section.kind = Node::Kind::kMap;
      return PutIntoMap(section, path);
    }
    case Node::Kind::kMap:
      break;
  }
  return PutIntoMap(*node, path);
}

NodePointer Setter::PutIntoMap(const Node& map, std::string_view path) {
  if (const auto step = StepInto(map, path)) return PutAt(map, *step, path);
  const size_t length = LengthOfKey(path);
  if (length == 0) {
    Report(fmt::format("there is no list at '{}'",
                       set_.path.substr(0, set_.path.size() - path.size())));
    return std::make_shared<Node>(map);
  }
  Node larger = map;
  larger.keys.push_back(std::make_shared<Node>(Added(Node::Kind::kScalar, path, length)));
  const auto section = std::make_shared<Node>(Added(Node::Kind::kNull, path, length));
  larger.items.push_back(Put(section, Below(path, length)));
  return std::make_shared<Node>(std::move(larger));
}

NodePointer Setter::PutIntoList(const NodePointer& list, std::string_view path) {
  if (const auto step = StepInto(*list, path)) return PutAt(*list, *step, path);
  std::string_view place(set_.path.data(), set_.path.size() - path.size());
  if (place.ends_with('.')) place.remove_suffix(1);
  Report(fmt::format("'{}' is a list, which has no element '{}'", place,
                     path.substr(0, path.find_first_of(".]") + (path.starts_with('[') ? 1 : 0))),
         list->items.empty() ? "it is empty"
                             : fmt::format("its elements are 0 to {}", list->items.size() - 1));
  return list;
}

// A part without settings may be written as its name: `adam` for `{type: adam}`, and `scale` for
// `scale: {}`.
NodePointer Setter::PutIntoScalar(const NodePointer& scalar, std::string_view path) {
  Node section = *scalar;
  section.kind = Node::Kind::kMap;
  section.text.clear();
  const bool by_name =
      StepInto({.kind = Node::Kind::kMap, .keys = {scalar}, .items = {scalar}}, path).has_value();
  Node key = *scalar;
  Node below = *scalar;
  if (by_name) {
    below.kind = Node::Kind::kNull;
  } else {
    key.text = "type";
  }
  section.keys = {std::make_shared<Node>(std::move(key))};
  section.items = {std::make_shared<Node>(std::move(below))};
  return PutIntoMap(section, path);
}

NodePointer Setter::PutAt(const Node& parent, const Step& step, std::string_view path) {
  Node changed = parent;
  const NodePointer& before = parent.items[step.item];
  NodePointer after = Put(before, Below(path, step.length));
  // Problems of lists and sections are marked at their key.
  if (parent.kind == Node::Kind::kMap && (after == value_ || after->kind != before->kind)) {
    changed.keys[step.item] = std::make_shared<Node>(Added(Node::Kind::kScalar, path, step.length));
  }
  changed.items[step.item] = std::move(after);
  return std::make_shared<Node>(std::move(changed));
}

Node Setter::Added(Node::Kind kind, std::string_view path, size_t length) const {
  constexpr size_t kFlagLength = std::string_view("--set ").size();
  const size_t at = set_.path.size() - path.size();
  Node node{.kind = kind};
  node.position = {line_, static_cast<int>(kFlagLength + at) + 1};
  node.width = static_cast<int>(length);
  node.text = path.substr(0, length);
  return node;
}

std::string_view Setter::Below(std::string_view path, size_t length) {
  path.remove_prefix(length);
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

size_t Setter::LengthOfKey(std::string_view path) {
  return std::min(path.find_first_of(".["), path.size());
}

void Setter::Report(std::string message, std::string hint) {
  Node mark = Added(Node::Kind::kScalar, set_.path, set_.path.size());
  document_.problems.push_back({.position = mark.position,
                                .width = mark.width,
                                .path = set_.path,
                                .message = std::move(message),
                                .hint = std::move(hint)});
}

// Moves a position of the text of a value to where the value is in the override's line. A value of
// several lines is marked at its begin.
Position Moved(Position position, int line, int column) {
  return {line, position.line <= 1 ? column + std::max(position.column, 1) - 1 : column};
}

NodePointer MovedTo(const Node& node, int line, int column) {
  Node moved = node;
  moved.position = Moved(node.position, line, column);
  for (NodePointer& key : moved.keys) key = MovedTo(*key, line, column);
  for (NodePointer& item : moved.items) item = MovedTo(*item, line, column);
  return std::make_shared<Node>(std::move(moved));
}

// The value of an override. Its problems become those of the document. nullptr: it cannot be read.
NodePointer ReadValue(const Override& set, const Source& source, int line, Document& document) {
  const auto read = ReadDocument({.text = set.value,
                                  .name = source.name,
                                  .variables = source.variables,
                                  .max_bytes = source.max_bytes});
  const int column = static_cast<int>(std::string_view("--set =").size() + set.path.size()) + 1;
  for (Problem problem : read->problems) {
    problem.position = Moved(problem.position, line, column);
    problem.path = set.path;
    document.problems.push_back(std::move(problem));
  }
  return read->readable ? MovedTo(*read->root, line, column) : nullptr;
}

// What is wrong with the path of the override number `i`; empty when nothing is.
std::string FaultOfPath(const std::vector<Override>& overrides, size_t i) {
  const std::string& path = overrides[i].path;
  if (path.empty() || path.ends_with('.') || path.starts_with('.') ||
      path.find("..") != std::string::npos) {
    return fmt::format("'{}' is not the path of a key, such as training.batch_size", path);
  }
  if (path.size() > kMaxPathBytes) {
    return fmt::format("a path has more than {} bytes", kMaxPathBytes);
  }
  // Other documents may refer to such keys; this one's references are resolved already.
  if (path.starts_with("x-")) return "a key that starts with x- has no effect when it is set";
  for (size_t before = 0; before < i; ++before) {
    if (overrides[before].path == path) return fmt::format("'{}' is set twice", path);
  }
  return {};
}

// A line of the override, for messages.
std::string LineOf(const Override& set) {
  std::string line = fmt::format("--set {}={}", set.path, set.value);
  for (char& byte : line) {
    if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
  }
  return line;
}

}  // namespace

void ApplyOverrides(const Source& source, Document& document) {
  for (const Override& set : source.overrides) {
    document.lines.push_back(LineOf(set));
    document.overrides.push_back(fmt::format("--set {}", set.path));
  }
  for (size_t i = 0; i < source.overrides.size(); ++i) {
    const Override& set = source.overrides[i];
    const int line = static_cast<int>(document.num_own_lines + i) + 1;
    NodePointer value = ReadValue(set, source, line, document);
    Setter setter(set, line, value, document);
    if (const std::string fault = FaultOfPath(source.overrides, i); !fault.empty()) {
      setter.Report(fault);
    } else if (value != nullptr) {
      document.root = setter.Put(document.root, set.path);
    }
  }
}

namespace {

constexpr size_t kMaxShownValue = 100;

// One line, until it is long enough to be cut.
void AppendFlow(const Node& node, std::string& line) {
  if (line.size() > kMaxShownValue) return;
  if (node.kind == Node::Kind::kNull) {
    line += "null";
  } else if (node.kind == Node::Kind::kScalar) {
    line += node.quoted ? fmt::format("\"{}\"", node.text) : node.text;
  } else {
    const bool is_list = node.kind == Node::Kind::kList;
    line += is_list ? '[' : '{';
    for (size_t i = 0; i < node.items.size() && line.size() <= kMaxShownValue; ++i) {
      if (i > 0) line += ", ";
      if (!is_list) line += node.keys[i]->text + ": ";
      AppendFlow(*node.items[i], line);
    }
    line += is_list ? ']' : '}';
  }
}

}  // namespace
}  // namespace internal

std::optional<std::string> FindValue(const Source& source, std::string_view path) {
  Source plain = source;
  plain.overrides.clear();
  const auto document = ReadDocument(plain);
  if (!document->readable) return std::nullopt;
  const Node* node = document->root.get();
  while (!path.empty()) {
    const auto step = StepInto(*node, path);
    if (!step) return std::nullopt;
    node = node->items[step->item].get();
    path.remove_prefix(step->length);
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  std::string line;
  internal::AppendFlow(*node, line);
  if (line.size() > internal::kMaxShownValue) {
    size_t end = internal::kMaxShownValue;
    while ((line[end] & 0xC0) == 0x80) --end;  // Within a character.
    line.resize(end);
    line += "...";
  }
  return line;
}

}  // namespace tidemill::config
