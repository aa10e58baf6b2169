#include "config/decode.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "config/column_list.h"
#include "config/describe.h"
#include "config/documents/document.h"
#include "config/phrases.h"
#include "config/scalars.h"

namespace tidemill::config::internal {
namespace {

// Keys that did nothing and are gone. Documents that earlier versions printed have them.
bool IsRetired(std::string_view key) { return key == "autocache" || key == "model_store"; }
std::string NameOf(const std::string& path) { return path.empty() ? "the document" : path; }

class Decoder {
 public:
  Decoder(std::shared_ptr<const Document> document, bool kept, Problems& problems)
      : document_(std::move(document)), kept_(kept), problems_(problems) {}

  void Read(const Spot& spot, const Type& type, const Limits& limits, void* value);

 private:
  // A struct: which keys belong to something else, and how messages name it.
  struct Frame {
    bool top_level = false;
    const Type* variant =
        nullptr;        // The kVariant whose alternative it is; "type" is then no field.
    std::string label;  // "in trigger (type: amount)"
  };

  bool IsSkipped(const Node& key, const Frame& frame) const {
    return (frame.top_level && key.text.starts_with("x-")) || (kept_ && IsRetired(key.text));
  }
  void ReadStruct(const Spot& spot, const Type& type, const Frame& frame, void* value);
  void ReadMember(const Spot& spot, const Member& member, const Frame& frame,
                  const std::vector<std::string>& unknown_keys);
  void ReportUnknownKeys(const Spot& spot, const Type& type, const Frame& frame,
                         const std::vector<std::string>& keys,
                         const std::set<std::string>& secret_keys);
  void ReadVariant(const Spot& spot, const Type& type, void* value);
  void ReadKeyed(const Spot& spot, const Type& type, void* value);
  void ReadAlternative(const Spot& spot, const Type& type, const Node& tag, void* value);
  // Runs the check of a struct unless reading it has found problems.
  void CheckStruct(const Spot& spot, const Type& type, size_t problems_before, const void* value);
  void ReadList(const Spot& spot, const Type& type, const Limits& limits, void* value);
  void ReadMap(const Spot& spot, const Type& type, const Limits& limits, void* value);
  void ReadNames(const Spot& spot, const Limits& limits, NameList& value);
  void ReadColumns(const Spot& spot, const Limits& limits, ColumnList& value);
  void ReadColumnItem(const Spot& spot, ColumnList& value);
  void ReadPairs(const Spot& spot, const Limits& limits, NamePairs& value);
  void ReadOpen(const Spot& spot, OpenValue& value);
  void ReadScalarValue(const Spot& spot, const Type& type, const Limits& limits, void* value);
  void CheckBounds(const Spot& spot, const Type& type, const Limits& limits, const void* value);
  void CheckItems(const Spot& spot, const Limits& limits, size_t size);
  void Report(const Node& mark, const std::string& path, std::string message, std::string hint = "",
              std::string note = "");
  void ReportWrongKind(const Spot& spot, std::string_view expected, std::string hint = "");

  std::shared_ptr<const Document> document_;  // Keeps the nodes alive.
  const bool kept_;  // Whether a program printed the document.
  Problems& problems_;
};

void Decoder::Read(const Spot& spot, const Type& type, const Limits& limits, void* value) {
  if (limits.secret) problems_.HideLine(spot.node().position.line);
  switch (type.kind) {
    case Kind::kOptional:
      type.clear(value);
      if (spot.node().kind == Node::Kind::kNull) return;
      return Read(spot, type.element(), limits, type.append(value));
    case Kind::kStruct:
      return ReadStruct(spot, type,
                        {.top_level = spot.path.empty(),
                         .variant = nullptr,
                         .label = spot.path.empty() ? "at the top level" : "in " + spot.path},
                        value);
    case Kind::kVariant:
      return ReadVariant(spot, type, value);
    case Kind::kKeyed:
      return ReadKeyed(spot, type, value);
    case Kind::kList:
      return ReadList(spot, type, limits, value);
    case Kind::kMap:
      return ReadMap(spot, type, limits, value);
    case Kind::kNameList:
      if (type.element != nullptr) return ReadColumns(spot, limits, As<ColumnList>(value));
      return ReadNames(spot, limits, As<NameList>(value));
    case Kind::kNamePairs:
      return ReadPairs(spot, limits, As<NamePairs>(value));
    case Kind::kOpenValue:
      return ReadOpen(spot, As<OpenValue>(value));
    default:
      return ReadScalarValue(spot, type, limits, value);
  }
}

void Decoder::ReadStruct(const Spot& spot, const Type& type, const Frame& frame, void* value) {
  const Node& node = spot.node();
  const size_t problems_before = problems_.items().size();
  if (const std::optional<Member> sole = SoleValueOf(type, value)) {
    Read(spot, sole->type(), sole->limits, sole->value);
    return CheckStruct(spot, type, problems_before, value);
  }
  if (node.kind != Node::Kind::kMap && node.kind != Node::Kind::kNull) {
    return ReportWrongKind(spot, "a section with keys");
  }
  std::vector<std::string> known, unknown;
  std::set<std::string> secret;
  if (frame.variant != nullptr) known.emplace_back("type");
  type.members(value, [&](const Member& member) {
    known.emplace_back(member.key);
    if (member.limits.secret) secret.emplace(member.key);
  });
  for (const auto& key : node.keys) {
    if (IsSkipped(*key, frame)) continue;
    if (std::ranges::find(known, key->text) == known.end()) unknown.push_back(key->text);
  }
  type.members(value, [&](const Member& member) { ReadMember(spot, member, frame, unknown); });
  if (!unknown.empty()) ReportUnknownKeys(spot, type, frame, known, secret);
  CheckStruct(spot, type, problems_before, value);
}

void Decoder::CheckStruct(const Spot& spot, const Type& type, size_t problems_before,
                          const void* value) {
  if (type.check == nullptr || problems_.items().size() != problems_before) return;
  const Problems::Scope scope(problems_, spot.path);
  type.check(value, problems_);
}

void Decoder::ReadMember(const Spot& spot, const Member& member, const Frame& frame,
                         const std::vector<std::string>& unknown_keys) {
  const Node& node = spot.node();
  for (size_t i = 0; i < node.keys.size(); ++i) {
    if (node.keys[i]->text != member.key) continue;
    return Read(spot.Below(i), member.type(), member.limits, member.value);
  }
  const std::string path = JoinPath(spot.path, member.key);
  const bool misspelled = std::ranges::any_of(unknown_keys, [&](const std::string& key) {
    return ClosestTo(key, {std::string(member.key)}).has_value();
  });
  if (member.limits.required && !misspelled) {
    const std::string example =
        member.limits.example.empty()
            ? ""
            : fmt::format(", such as '{}: {}'", member.key, member.limits.example);
    Report(spot.place.mark(), path,
           fmt::format("missing required key '{}' {}", member.key, frame.label),
           fmt::format("add '{}'{}", member.key, example),
           fmt::format("{}: {}", member.key, member.doc));
  } else if (member.type().kind == Kind::kStruct && !misspelled) {
    // An absent section is an empty one: it may have required keys.
    const auto empty = std::make_shared<Node>();
    empty->position = spot.place.mark().position;
    empty->width = spot.place.mark().width;
    const Frame absent{.label = "in " + path};
    ReadStruct({{empty.get(), nullptr}, path}, member.type(), absent, member.value);
  }
}

void Decoder::ReportUnknownKeys(const Spot& spot, const Type& type, const Frame& frame,
                                const std::vector<std::string>& known,
                                const std::set<std::string>& secret_keys) {
  for (const auto& key : spot.node().keys) {
    if (IsSkipped(*key, frame) || std::ranges::find(known, key->text) != known.end()) continue;
    const auto closest = ClosestTo(key->text, known);
    if (closest && secret_keys.contains(*closest)) problems_.HideLine(key->position.line);
    std::string hint =
        IsRetired(key->text) ? "delete it: it had no effect" : DidYouMean(key->text, known);
    if (hint.empty()) hint = PlaceOfKey(key->text, type, frame.variant);
    if (hint.empty() && key->text == "<<") hint = "merge keys are not supported";
    Report(*key, JoinPath(spot.path, key->text),
           fmt::format("unknown key '{}' {}", key->text, frame.label), hint,
           known.empty() ? "no keys are allowed here"
                         : fmt::format("keys allowed here: {}", fmt::join(known, ", ")));
  }
}

void Decoder::ReadVariant(const Spot& spot, const Type& type, void* value) {
  const Node& node = spot.node();
  if (node.kind == Node::Kind::kScalar) return ReadAlternative(spot, type, node, value);
  const std::string types = fmt::format("types: {}", fmt::join(TagsOf(type), ", "));
  if (node.kind != Node::Kind::kMap) {
    return ReportWrongKind(spot, "a section with a 'type'", types);
  }
  const Node* tag = node.Find("type");
  if (tag == nullptr) {
    const std::string& first = node.keys.empty() ? "" : node.keys[0]->text;
    const std::string near = ClosestTo(first, {"type"}) ? "did you mean 'type'?" : "add 'type'";
    return Report(spot.place.mark(), spot.path,
                  fmt::format("missing required key 'type' in {}", NameOf(spot.path)), near, types);
  }
  if (tag->kind != Node::Kind::kScalar) {
    return Report(tag->kind == Node::Kind::kNull ? spot.place.mark() : *tag,
                  JoinPath(spot.path, "type"),
                  fmt::format("{}: expected the name of a type, got {}",
                              JoinPath(spot.path, "type"), DescribeNode(*tag)),
                  "", types);
  }
  ReadAlternative(spot, type, *tag, value);
}

void Decoder::ReadAlternative(const Spot& spot, const Type& type, const Node& tag, void* value) {
  const std::vector<std::string> tags = TagsOf(type);
  const auto it = std::ranges::find(tags, tag.text);
  if (it == tags.end()) {
    return Report(tag, spot.path,
                  fmt::format("unknown type '{}' for {}", tag.text, NameOf(spot.path)),
                  DidYouMean(tag.text, tags), fmt::format("types: {}", fmt::join(tags, ", ")));
  }
  const auto index = static_cast<size_t>(it - tags.begin());
  const Frame frame{.variant = &type,
                    .label = fmt::format("in {} (type: {})", NameOf(spot.path), tag.text)};
  void* held = type.emplace(value, index);
  if (spot.node().kind == Node::Kind::kMap) {
    return ReadStruct(spot, type.alternatives[index](), frame, held);
  }
  const auto empty = std::make_shared<Node>();
  empty->position = tag.position;
  empty->width = tag.width;
  ReadStruct({{empty.get(), nullptr}, spot.path}, type.alternatives[index](), frame, held);
}

void Decoder::ReadKeyed(const Spot& spot, const Type& type, void* value) {
  const std::vector<std::string> tags = TagsOf(type);
  const std::string types = fmt::format("known: {}", fmt::join(tags, ", "));
  const Node& node = spot.node();
  const bool single = node.kind == Node::Kind::kMap && node.keys.size() == 1;
  if (node.kind != Node::Kind::kScalar && !single) {
    const Node* tag = node.Find("type");
    const std::string hint = tag != nullptr && tag->kind == Node::Kind::kScalar
                                 ? fmt::format("write {}: {{...}}", tag->text)
                                 : "put the keys below the name and indent them";
    if (node.kind != Node::Kind::kMap) {
      return ReportWrongKind(spot, "a name or one 'name: {...}'", types);
    }
    return Report(
        spot.place.mark(), spot.path,
        fmt::format("{}: expected one name, got {} keys", NameOf(spot.path), node.keys.size()),
        hint, types);
  }
  const Node& tag = single ? *node.keys[0] : node;
  const auto it = std::ranges::find(tags, tag.text);
  if (it == tags.end()) {
    return Report(tag, spot.path,
                  fmt::format("unknown name '{}' in {}", tag.text, NameOf(spot.path)),
                  DidYouMean(tag.text, tags), types);
  }
  const auto index = static_cast<size_t>(it - tags.begin());
  void* held = type.emplace(value, index);
  const Frame frame{.label = fmt::format("in {}", JoinPath(spot.path, tag.text))};
  if (single) return ReadStruct(spot.Below(0), type.alternatives[index](), frame, held);
  const auto empty = std::make_shared<Node>();
  empty->position = tag.position;
  empty->width = tag.width;
  ReadStruct({{empty.get(), nullptr}, JoinPath(spot.path, tag.text)}, type.alternatives[index](),
             frame, held);
}

void Decoder::ReadList(const Spot& spot, const Type& type, const Limits& limits, void* value) {
  const Node& node = spot.node();
  if (node.kind != Node::Kind::kList) {
    const std::string hint = SaysAll(node) ? "write out the list; `all` is not understood here"
                             : limits.secret
                                 ? "write [...]"
                                 : AsOneItem(node, type.element().kind == Kind::kString);
    return ReportWrongKind(spot, "a list", hint);
  }
  type.clear(value);
  for (size_t i = 0; i < node.items.size(); ++i) {
    Read(spot.Below(i), type.element(), limits, type.append(value));
  }
  CheckItems(spot, limits, node.items.size());
}

void Decoder::ReadMap(const Spot& spot, const Type& type, const Limits& limits, void* value) {
  const Node& node = spot.node();
  if (node.kind != Node::Kind::kMap) return ReportWrongKind(spot, "a section of named entries");
  type.clear(value);
  for (size_t i = 0; i < node.items.size(); ++i) {
    const Node& key = *node.keys[i];
    if (!key.quoted && IsAmbiguous(key.text)) {
      Report(key, spot.path,
             fmt::format("the name '{}' can be read as something other than a text", key.text),
             fmt::format("quote it: \"{}\"", key.text));
    }
    Read(spot.Below(i), type.element(), limits, type.insert(value, key.text));
  }
  CheckItems(spot, limits, node.items.size());
}

void Decoder::ReadNames(const Spot& spot, const Limits& limits, NameList& value) {
  const Node& node = spot.node();
  if (node.kind == Node::Kind::kScalar && node.text == "all") {
    value = {.all = true, .names = {}};
    return;
  }
  if (node.kind != Node::Kind::kList) {
    return ReportWrongKind(spot, "'all' or a list of names",
                           SaysAll(node) ? "write all" : AsOneItem(node, /*is_text=*/true));
  }
  value = {};
  for (size_t i = 0; i < node.items.size(); ++i) {
    ReadScalarValue(spot.Below(i), TypeOf<std::string>(), {}, &value.names.emplace_back());
  }
  CheckItems(spot, limits, node.items.size());
}

void Decoder::ReadColumns(const Spot& spot, const Limits& limits, ColumnList& value) {
  const Node& node = spot.node();
  value = {};
  if (node.kind == Node::Kind::kScalar && node.text == "all") {
    value = ColumnList::All();
  } else if (node.kind == Node::Kind::kMap) {
    ReadColumnItem(spot, value);
  } else if (node.kind == Node::Kind::kList) {
    for (size_t i = 0; i < node.items.size(); ++i) ReadColumnItem(spot.Below(i), value);
    CheckItems(spot, limits, node.items.size());
  } else {
    const bool one = node.kind == Node::Kind::kScalar;
    const bool is_pattern = one && node.text.find_first_of("*?") != std::string::npos;
    ReportWrongKind(spot, "'all', a list of names or a section with match, from, to or except",
                    is_pattern      ? fmt::format("write {{match: \"{}\"}}", node.text)
                    : SaysAll(node) ? "write all"
                                    : AsOneItem(node, /*is_text=*/true));
  }
}

void Decoder::ReadColumnItem(const Spot& spot, ColumnList& value) {
  if (spot.node().kind == Node::Kind::kMap) {
    auto& rule = std::get<ColumnRule>(value.items.emplace_back(ColumnRule()));
    return ReadStruct(spot, TypeOf<ColumnRule>(), {.label = "in " + spot.path}, &rule);
  }
  auto& name = std::get<std::string>(value.items.emplace_back(std::string()));
  ReadScalarValue(spot, TypeOf<std::string>(), {}, &name);
}

void Decoder::ReadPairs(const Spot& spot, const Limits& limits, NamePairs& value) {
  const Node& node = spot.node();
  value = {};
  const auto read = [&](const Spot& at, std::string* name) {
    ReadScalarValue(at, TypeOf<std::string>(), {.min = 1}, name);
  };
  if (node.kind == Node::Kind::kNull) {
    return ReportWrongKind(spot, "a name, a list of names or pairs of names");
  }
  if (node.kind == Node::Kind::kScalar) {
    std::string name;
    read(spot, &name);
    value.pairs = {{.name = name, .elsewhere = name}};
    return;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    NamePairs::Pair& pair = value.pairs.emplace_back();
    read(spot.Below(i), &pair.elsewhere);
    pair.name = node.kind == Node::Kind::kMap ? node.keys[i]->text : pair.elsewhere;
  }
  CheckItems(spot, limits, node.items.size());
}

void Decoder::ReadOpen(const Spot& spot, OpenValue& value) {
  const Node& node = spot.node();
  value = {.is_list = node.kind == Node::Kind::kList, .scalars = {}};
  if (node.kind == Node::Kind::kScalar) {
    value.scalars = {{.text = node.text, .quoted = node.quoted}};
    return;
  }
  if (!value.is_list) return ReportWrongKind(spot, "a value or a list of values");
  for (size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = *node.items[i];
    if (item.kind != Node::Kind::kScalar) return ReportWrongKind(spot.Below(i), "a value");
    value.scalars.push_back({.text = item.text, .quoted = item.quoted});
  }
}

void Decoder::ReadScalarValue(const Spot& spot, const Type& type, const Limits& limits,
                              void* value) {
  const Node& node = spot.node();
  if (node.kind == Node::Kind::kNull && type.kind == Kind::kEnum) {
    const auto null = std::ranges::find(type.names, kNullName);
    if (null != type.names.end()) return type.set_name(value, null - type.names.begin());
  }
  if (node.kind == Node::Kind::kNull) {
    return Report(spot.place.mark(), spot.path, fmt::format("{}: has no value", NameOf(spot.path)),
                  "remove the key to get the default");
  }
  if (node.kind != Node::Kind::kScalar) {
    const bool is_phrase = type.kind == Kind::kBool || type.kind == Kind::kEnum;
    return ReportWrongKind(spot, (is_phrase ? "" : "a ") + TypePhrase(type));
  }
  if (const auto mismatch = ReadScalar(type, node, value)) {
    const bool show = !limits.secret;
    return Report(
        node, spot.path,
        fmt::format("{}: {}", NameOf(spot.path), show ? mismatch->message : "wrong type"),
        show ? mismatch->hint : "",
        type.kind == Kind::kEnum ? fmt::format("allowed: {}", fmt::join(type.names, ", ")) : "");
  }
  CheckBounds(spot, type, limits, value);
}

void Decoder::CheckBounds(const Spot& spot, const Type& type, const Limits& limits,
                          const void* value) {
  const auto measure = MeasureScalar(type, value);
  if (!measure || (!limits.min && !limits.max)) return;
  const std::string name = NameOf(spot.path);
  if (type.kind == Kind::kString && *measure == 0 && limits.min) {
    return Report(spot.node(), spot.path, fmt::format("{}: must not be empty", name));
  }
  const std::string shown = limits.secret                ? "the value"
                            : type.kind == Kind::kString ? fmt::format("{} bytes", *measure)
                                                         : spot.node().text;
  if (limits.min && !(*measure >= *limits.min)) {
    Report(spot.node(), spot.path,
           fmt::format("{}: {} is below {}", name, shown, WriteBound(type, *limits.min)));
  } else if (limits.max && !(*measure <= *limits.max)) {
    Report(spot.node(), spot.path,
           fmt::format("{}: {} is above {}", name, shown, WriteBound(type, *limits.max)),
           PercentHint(type, limits, *measure));
  }
}

void Decoder::CheckItems(const Spot& spot, const Limits& limits, size_t size) {
  const auto count = static_cast<double>(size);
  if (limits.min_items && count < *limits.min_items) {
    Report(spot.place.mark(), spot.path,
           fmt::format("{}: needs at least {} entries, got {}", NameOf(spot.path),
                       *limits.min_items, size));
  } else if (limits.max_items && count > *limits.max_items) {
    Report(spot.place.mark(), spot.path,
           fmt::format("{}: takes at most {} entries, got {}", NameOf(spot.path), *limits.max_items,
                       size));
  }
}

void Decoder::Report(const Node& mark, const std::string& path, std::string message,
                     std::string hint, std::string note) {
  problems_.Add(Problem{.position = mark.position,
                        .width = mark.width,
                        .path = path,
                        .message = std::move(message),
                        .hint = std::move(hint),
                        .note = std::move(note)});
}

void Decoder::ReportWrongKind(const Spot& spot, std::string_view expected, std::string hint) {
  const bool hidden = problems_.IsHidden(spot.node().position.line);
  Report(spot.place.mark(), spot.path,
         fmt::format("{}: expected {}, got {}", NameOf(spot.path), expected,
                     hidden ? "something else" : DescribeNode(spot.node())),
         hidden ? "" : std::move(hint));
}

}  // namespace

Problems DecodeDocument(const Source& source, const Type& type, void* value) {
  const auto document = ReadDocument(source);
  Problems problems(document);
  if (document->readable) {
    const bool kept = source.max_bytes == kMaxKeptBytes;
    Decoder(document, kept, problems).Read({{document->root.get(), nullptr}, ""}, type, {}, value);
  }
  return problems;
}

Problems DecodeSection(const Source& source, std::string_view section, const Type& type,
                       void* value) {
  const auto document = ReadDocument(source);
  Problems problems(document);
  if (!document->readable) return problems;
  const Node& root = *document->root;
  if (root.kind != Node::Kind::kMap && root.kind != Node::Kind::kNull) {
    problems.Add("", "expected a document of sections with keys");
    return problems;
  }
  const auto empty = std::make_shared<Node>();
  empty->position = root.position;
  Place place{empty.get(), nullptr};
  for (size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i]->text == section) {
      place = {root.items[i].get(), root.keys[i].get()};
    } else if (root.Find(section) == nullptr &&
               ClosestTo(root.keys[i]->text, {std::string(section)})) {
      problems.Add(root.keys[i]->text, "unknown section",
                   fmt::format("did you mean '{}'?", section));
    }
  }
  Decoder(document, false, problems).Read({place, std::string(section)}, type, {}, value);
  return problems;
}

}  // namespace tidemill::config::internal
