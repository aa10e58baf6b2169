#include "config/documents/yaml_builder.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "fmt/format.h"
#include "yaml-cpp/depthguard.h"
#include "yaml-cpp/exceptions.h"

// From events to the tree, for `a: {b: 1}`. open_ holds the lists and maps that have not ended. A
// map there holds the key that waits for its value.
//
//   event        open_, the innermost last     what is added
//   MapStart     map
//   Scalar a     map (a)
//   MapStart     map (a), map
//   Scalar b     map (a), map (b)
//   Scalar 1     map (a), map                  b: 1 to the inner map
//   MapEnd       map                           a: {b: 1} to the outer map
//   MapEnd                                     the root of the document

namespace tidemill::config::internal {
namespace {

int CountCharacters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The column of a tab in the indentation of `line`, or npos.
size_t TabInIndentation(const std::string& line) {
  const size_t end = line.find_first_not_of(" \t");
  const size_t tab = line.find('\t');
  return tab < std::min(end, line.size()) ? tab : std::string::npos;
}

// The word that begins a line such as `name weather` or `model {type: mlp}`, where a colon should
// follow it; empty for any other line.
std::string_view KeyWithoutColon(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  size_t end = begin;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 ||
                               line[end] == '_' || line[end] == '-')) {
    ++end;
  }
  const size_t value = std::min(line.find_first_not_of(' ', end), line.size());
  if (end == begin || line[begin] == '-' || value == end || value == line.size()) return {};
  const bool opens = std::string_view("[{\"'").find(line[value]) != std::string_view::npos;
  const bool has_colon = line.find(": ", end) != std::string_view::npos || line.ends_with(':');
  return opens || !has_colon ? line.substr(begin, end - begin) : std::string_view();
}

// The place where the text after anchors and tags starts.
size_t SkipProperties(const std::string& line, size_t at) {
  while (at < line.size() && (line[at] == '&' || line[at] == '!')) {
    at = line.find_first_of(" \t", at);
    if (at != std::string::npos) at = line.find_first_not_of(" \t", at);
  }
  return std::min(at, line.size());
}

// The position after the quote that closes the one at lines[line][at]; the line is lines.size()
// when there is none.
std::pair<size_t, size_t> EndOfQuoted(const std::vector<std::string>& lines, size_t line,
                                      size_t at) {
  const char quote = lines[line][at];
  for (++at; line < lines.size(); ++line, at = 0) {
    for (; at < lines[line].size(); ++at) {
      const char c = lines[line][at];
      if (quote == '"' && c == '\\') {
        ++at;
      } else if (c == quote) {
        const bool doubled = quote == '\'' && lines[line].substr(at + 1, 1) == "'";
        if (!doubled) return {line, at + 1};
        ++at;
      }
    }
  }
  return {line, 0};
}

}  // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++num_documents_ != 2) return;
  const Position position = PositionAt(mark);
  if (document_.lines[mark.line].starts_with("---")) {
    GiveUp(position, "a second document starts here", "one document per file");
  } else {
    GiveUp(position, "unexpected text after the end of the document", "check the indentation");
  }
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (auto node = NewNode(Node::Kind::kNull, mark, "")) Finish(std::move(node), anchor);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (ignoring()) return;
  const auto it = anchors_.find(anchor);
  if (it == anchors_.end()) {
    return GiveUp(PositionAt(mark), "this alias refers to a value that contains it");
  }
  num_nodes_ += it->second->size;
  if (num_nodes_ > kMaxNodes) {
    return GiveUp(
        PositionAt(mark),
        fmt::format("the document has more than {} values, with aliases expanded", kMaxNodes));
  }
  const auto num_bytes = static_cast<size_t>(it->second->text_bytes);
  if (!TakeRoom(PositionAt(mark), num_bytes, "this alias")) return;
  Finish(it->second, 0);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  auto node = NewNode(Node::Kind::kScalar, mark, tag);
  if (!node) return;
  node->text = value;
  node->quoted = tag != "?";
  MeasureScalar(*node, mark);
  Substitute(*node);
  node->text_bytes = static_cast<int64_t>(node->text.size());
  Finish(std::move(node), anchor);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  OpenNode(Node::Kind::kList, mark, tag, anchor);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  OpenNode(Node::Kind::kMap, mark, tag, anchor);
}

std::shared_ptr<Node> YamlBuilder::NewNode(Node::Kind kind, const YAML::Mark& mark,
                                           const std::string& tag) {
  if (ignoring()) return nullptr;
  const Position position = PositionAt(mark);
  if (++num_nodes_ > kMaxNodes) {
    GiveUp(position, fmt::format("the document has more than {} values", kMaxNodes));
    return nullptr;
  }
  if (static_cast<int>(open_.size()) >= kMaxDepth) {
    GiveUp(position, fmt::format("nested more than {} levels deep", kMaxDepth));
    return nullptr;
  }
  if (!tag.empty() && tag != "?" && tag != "!") {
    Report(position, 1, "YAML tags are not used here",
           "remove the tag, or quote the value if it is text");
  }
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->position = position;
  return node;
}

void YamlBuilder::OpenNode(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                           YAML::anchor_t anchor) {
  if (auto node = NewNode(kind, mark, tag)) {
    open_.push_back(
        {.node = std::move(node), .anchor = anchor, .key = nullptr, .lines_of_keys = {}});
  }
}

void YamlBuilder::Close() {
  if (ignoring()) return;
  const Open closed = std::move(open_.back());
  open_.pop_back();
  Finish(closed.node, closed.anchor);
}

void YamlBuilder::Finish(std::shared_ptr<const Node> node, YAML::anchor_t anchor) {
  if (ignoring()) return;
  if (anchor != 0) anchors_[anchor] = node;
  if (open_.empty()) {
    document_.root = std::move(node);
    return;
  }
  Open& parent = open_.back();
  if (parent.node->kind == Node::Kind::kMap && parent.key == nullptr) {
    return TakeKey(parent, std::move(node));
  }
  parent.node->size += node->size;
  parent.node->text_bytes += node->text_bytes;
  parent.node->depth = std::max(parent.node->depth, node->depth + 1);
  if (static_cast<int>(open_.size()) + node->depth > kMaxDepth) {
    return GiveUp(node->position, fmt::format("nested more than {} levels deep", kMaxDepth));
  }
  if (parent.key != nullptr) parent.node->keys.push_back(std::exchange(parent.key, nullptr));
  parent.node->items.push_back(std::move(node));
}

void YamlBuilder::TakeKey(Open& parent, std::shared_ptr<const Node> key) {
  parent.node->size += key->size;
  parent.node->text_bytes += key->text_bytes;
  if (key->kind == Node::Kind::kScalar && key->text.size() <= kMaxKeyBytes) {
    const auto [it, added] = parent.lines_of_keys.emplace(key->text, key->position.line);
    if (!added) {
      Report(key->position, key->width,
             fmt::format("duplicate key '{}'; it is already on line {}", key->text, it->second),
             "remove one of them");
    }
  } else if (key->kind == Node::Kind::kScalar) {
    Report(key->position, key->width, fmt::format("a key has more than {} bytes", kMaxKeyBytes));
  } else {
    Report(key->position, 1, "keys must be texts");
    auto text = std::make_shared<Node>(Node{.kind = Node::Kind::kScalar});
    text->position = key->position;
    key = std::move(text);
  }
  parent.key = std::move(key);
}

void YamlBuilder::MeasureScalar(Node& node, const YAML::Mark& mark) {
  const std::string& line = document_.lines[mark.line];
  const size_t start = SkipProperties(line, static_cast<size_t>(mark.column));
  const std::string_view rest = std::string_view(line).substr(start);
  if (!node.quoted) {
    node.width = std::max(1, CountCharacters(rest.starts_with(node.text) ? node.text : rest));
  } else if (rest.starts_with('"') || rest.starts_with('\'')) {
    const auto [end_line, end] =
        EndOfQuoted(document_.lines, static_cast<size_t>(mark.line), start);
    if (end_line == document_.lines.size()) {
      return GiveUp(node.position, "this quote is never closed");
    }
    node.width = CountCharacters(
        end_line == static_cast<size_t>(mark.line) ? rest.substr(0, end - start) : rest);
  }
}

void YamlBuilder::Substitute(Node& node) {
  if (node.text.find("${") == std::string::npos) return;
  const std::string text = std::move(node.text);
  node.text.clear();
  for (size_t at = 0; at < text.size() && document_.readable;) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("$${")) {
      node.text += "${";
      at += 3;
    } else if (rest.starts_with("${")) {
      at = SubstituteOne(node, text, at, node.text);
      node.substituted = true;
    } else {
      node.text += text[at++];
    }
  }
}

size_t YamlBuilder::SubstituteOne(const Node& node, const std::string& text, size_t at,
                                  std::string& out) {
  const size_t end = text.find('}', at);
  if (end == std::string::npos) {
    Report(node.position, node.width, "'${' without '}'", "write $${ for a plain ${");
    return text.size();
  }
  const std::string name = text.substr(at + 2, end - at - 2);
  if (const auto it = variables_.find(name); it != variables_.end()) {
    if (TakeRoom(node.position, it->second.size(), fmt::format("${{{}}}", name))) out += it->second;
  } else {
    ReportUnknownVariable(node, name);
  }
  return end + 1;
}

void YamlBuilder::ReportUnknownVariable(const Node& node, const std::string& name) {
  constexpr size_t kMaxNamed = 20;
  std::vector<std::string> known;
  for (const auto& [variable, value] : variables_) known.push_back(variable);
  const std::string hint =
      name.size() > kMaxVariableNameBytes ? std::string() : DidYouMean(name, known);
  std::string note = "no variables are defined for this document; write $${ for a plain ${";
  if (!known.empty()) {
    const size_t num_more = known.size() - std::min(known.size(), kMaxNamed);
    known.resize(known.size() - num_more);
    note = fmt::format("known variables: {}", fmt::join(known, ", "));
    if (num_more > 0) note += fmt::format(" and {} more", num_more);
  }
  Report(node.position, node.width,
         fmt::format("unknown variable '${{{}}}'", name.substr(0, kMaxVariableNameBytes)), hint,
         std::move(note));
}

bool YamlBuilder::TakeRoom(Position position, size_t num_bytes, const std::string& what) {
  num_expanded_bytes_ += static_cast<int64_t>(num_bytes);
  if (num_expanded_bytes_ <= kMaxExpandedBytes) return true;
  GiveUp(position,
         fmt::format("with {}, variables and aliases add more than {} bytes to the document", what,
                     kMaxExpandedBytes),
         "use shorter values, or fewer of them");
  return false;
}

void YamlBuilder::ReportFailure(const YAML::Exception& failure) {
  if (ignoring()) return;
  const YAML::Mark mark = failure.mark.is_null() ? YAML::Mark() : failure.mark;
  const Position position = PositionAt(mark);
  const size_t line = std::min(static_cast<size_t>(mark.line), document_.lines.size() - 1);
  for (const size_t suspect : {line, line - std::min<size_t>(line, 1)}) {
    if (const size_t tab = TabInIndentation(document_.lines[suspect]); tab != std::string::npos) {
      return GiveUp({static_cast<int>(suspect) + 1, static_cast<int>(tab) + 1},
                    "the indentation contains a tab", "indent with spaces");
    }
  }
  if (dynamic_cast<const YAML::DeepRecursion*>(&failure) != nullptr) {
    return GiveUp(position, fmt::format("nested more than {} levels deep", kMaxDepth));
  }
  const std::string_view said = failure.msg;
  const bool unclosed_list = said == "end of sequence flow not found";
  if (document_.lines[line].find("${") != std::string::npos && said.find("flow") != said.npos) {
    return GiveUp(position, "cannot read this '{'", "inside [ ] and { }, quote it: \"${NAME}\"");
  }
  if ((unclosed_list || said == "end of map flow not found") && !open_.empty()) {
    const auto opener = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& open) {
      return (open.node->kind == Node::Kind::kList) == unclosed_list;
    });
    if (opener != open_.rend()) {
      return GiveUp(opener->node->position,
                    fmt::format("this '{}' is not closed", unclosed_list ? '[' : '{'),
                    fmt::format("the error shows on line {}", position.line));
    }
  }
  if (said == "illegal map value" || said == "end of map not found") {
    for (const size_t suspect : {line, line - std::min<size_t>(line, 1)}) {
      const std::string& text = document_.lines[suspect];
      const std::string_view word = KeyWithoutColon(text);
      if (word.empty()) continue;
      return GiveUp({static_cast<int>(suspect) + 1, static_cast<int>(text.find(word)) + 1},
                    fmt::format("no ':' follows '{}'", word), fmt::format("write '{}: ...'", word));
    }
  }
  if (said == "illegal map value") {
    return GiveUp(position, "unexpected ':'", "quote a text with ': ', or check the indentation");
  }
  if (said == "unknown token") {
    return GiveUp(position, "a text cannot start with this character", "put it in quotes");
  }
  GiveUp(position, fmt::format("not valid YAML: {}", failure.msg), "check the indentation");
}

Position YamlBuilder::PositionAt(const YAML::Mark& mark) {
  const auto line = static_cast<size_t>(std::max(mark.line, 0));
  if (line >= document_.lines.size()) return {static_cast<int>(document_.lines.size()), 1};
  const std::string_view text = document_.lines[line];
  const size_t byte = std::min(static_cast<size_t>(std::max(mark.column, 0)), text.size());
  // Events come in the order of the text: count on from the last one, or long lines take forever.
  if (line != counted_line_ || byte < counted_bytes_) {
    counted_line_ = line;
    counted_bytes_ = 0;
    counted_characters_ = 0;
  }
  counted_characters_ += CountCharacters(text.substr(counted_bytes_, byte - counted_bytes_));
  counted_bytes_ = byte;
  return {static_cast<int>(line) + 1, counted_characters_ + 1};
}

void YamlBuilder::Report(Position position, int width, std::string message, std::string hint,
                         std::string note) {
  document_.problems.push_back({.file = document_.name,
                                .position = position,
                                .width = width,
                                .message = std::move(message),
                                .hint = std::move(hint),
                                .note = std::move(note)});
  if (document_.problems.size() >= kMaxProblems) document_.readable = false;
}

void YamlBuilder::GiveUp(Position position, std::string message, std::string hint) {
  Report(position, 1, std::move(message), std::move(hint));
  document_.readable = false;
}

}  // namespace tidemill::config::internal
