#include "config/explain.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/status.h"
#include "config/phrases.h"

namespace tidemill::config::internal {
namespace {

constexpr size_t kWidth = 100;

// A key that was asked for; `field` is unset for the whole, an alternative or an entry.
struct Topic {
  std::string path;
  const Type* type = nullptr;
  std::optional<Member> field = std::nullopt;
  std::shared_ptr<void> keeper = nullptr;  // Keeps the default that `field` points to.
};

// Where the search stopped because `word` was not found; the failure furthest along is the one to
// report.
struct Miss {
  size_t depth = 0;
  std::string word;
  std::string path;
  std::vector<std::string> known;
};

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> words(1);
  bool in_index = false;
  for (const char c : path) {
    if (c == '[' || c == ']') {
      in_index = c == '[';
    } else if (c == '.') {
      words.emplace_back();
    } else if (!in_index) {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

class Finder {
 public:
  explicit Finder(std::vector<std::string> words) : words_(std::move(words)) {}

  void Find(const Topic& at, size_t depth) {
    if (depth == words_.size()) {
      found_.push_back(at);
      return;
    }
    FindBelow(*at.type, at.path, depth);
  }

  const std::vector<Topic>& found() const { return found_; }
  const Miss& miss() const { return miss_; }

 private:
  void FindBelow(const Type& type, const std::string& path, size_t depth) {
    switch (type.kind) {
      case Kind::kOptional:
      case Kind::kList:
        return FindBelow(type.element(), path, depth);
      case Kind::kNameList:
        if (type.element == nullptr) return NoteMiss(path, depth, {});
        return FindBelow(type.element(), path, depth);
      case Kind::kMap:
        if (KnowsKey(CoreOf(type), words_[depth])) return FindBelow(type.element(), path, depth);
        return Find({JoinPath(path, words_[depth]), &type.element()}, depth + 1);
      case Kind::kStruct:
        return FindField(type, path, depth);
      case Kind::kVariant:
      case Kind::kKeyed:
        return FindAlternative(type, path, depth);
      default:
        return NoteMiss(path, depth, {});
    }
  }

  static bool KnowsKey(const Type& type, const std::string& word) {
    if (type.kind != Kind::kStruct) return false;
    const FieldList list = FieldsOf(type);
    return std::ranges::any_of(list.fields, [&](const Member& f) { return f.key == word; });
  }

  void FindField(const Type& type, const std::string& path, size_t depth) {
    const FieldList list = FieldsOf(type);
    std::vector<std::string> known;
    for (const Member& field : list.fields) {
      known.emplace_back(field.key);
      if (field.key == words_[depth]) {
        return Find({JoinPath(path, field.key), &field.type(), field, list.keeper}, depth + 1);
      }
    }
    NoteMiss(path, depth, std::move(known));
  }

  void FindAlternative(const Type& type, const std::string& path, size_t depth) {
    const std::string& word = words_[depth];
    if (word == "type" && type.kind == Kind::kVariant) return Find({path, &type}, depth + 1);
    bool known_key = false;
    for (const TypeGetter get : type.alternatives) {
      const std::string below = JoinPath(path, get().tag);
      if (get().tag == word) return Find({below, &get()}, depth + 1);
      known_key = known_key || KnowsKey(get(), word);
    }
    if (!known_key) return NoteMiss(path, depth, TagsOf(type));
    for (const TypeGetter get :
         type.alternatives) {  // The type was left out: show each with the key.
      if (KnowsKey(get(), word)) FindField(get(), JoinPath(path, get().tag), depth);
    }
  }

  void NoteMiss(const std::string& path, size_t depth, std::vector<std::string> known) {
    if (!miss_.word.empty() && depth <= miss_.depth) return;
    miss_ = {depth, words_[depth], path, std::move(known)};
  }

  std::vector<std::string> words_;
  std::vector<Topic> found_;
  Miss miss_;
};

// Paths of all keys called `word`, at most three.
void FindAnywhere(const Type& type, const std::string& path, const std::string& word,
                  std::vector<const Type*>& above, std::vector<std::string>& paths) {
  const Type& core = CoreOf(type);
  if (paths.size() >= 3 || std::ranges::find(above, &core) != above.end()) return;
  above.push_back(&core);
  for (const TypeGetter get : core.alternatives) {
    const std::string below = JoinPath(path, get().tag);
    if (get().tag == word) paths.push_back(below);
    FindAnywhere(get(), below, word, above, paths);
  }
  if (core.kind == Kind::kStruct) {
    const FieldList list = FieldsOf(core);
    for (const Member& field : list.fields) {
      const std::string below = JoinPath(path, field.key);
      if (field.key == word && paths.size() < 3) paths.push_back(below);
      FindAnywhere(field.type(), below, word, above, paths);
    }
  }
  above.pop_back();
}

// Breaks a text into lines of at most `width` bytes, at spaces if there are any.
std::vector<std::string> Wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    size_t end = text.rfind(' ', width);
    if (end == text.npos) end = text.find(' ');
    if (end == text.npos) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.emplace_back(text);
  return lines;
}

std::string Paragraph(std::string_view text) {
  std::string out;
  for (const std::string& line : Wrap(text, kWidth - 2)) out += "  " + line + "\n";
  return out;
}

// Columns side by side; the last one wraps below itself. A cell that is much wider than its
// column's others has the rest of its row on the next line.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  constexpr size_t kWidestCell = 26;
  std::vector<size_t> widths(rows[0].size());
  size_t indent = 2;
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    for (const auto& row : rows) {
      if (row[i].size() <= kWidestCell) widths[i] = std::max(widths[i], row[i].size());
    }
    indent += widths[i] + 2;
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    size_t column = 2;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      column += widths[i] + 2;
      const bool too_wide = row[i].size() > widths[i];
      line += too_wide ? fmt::format("{}\n{:{}}", row[i], "", column)
                       : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    std::string_view lead;
    const std::string hanging = "\n" + std::string(indent, ' ');
    for (const std::string& part : Wrap(row.back(), kWidth - std::min(indent, kWidth - 30))) {
      line.append(lead).append(part);
      lead = hanging;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string KeysTable(const Type& type) {
  const FieldList list = FieldsOf(type);
  if (list.fields.empty()) return "\n  It has no keys.\n";
  std::vector<std::vector<std::string>> rows = {{"KEY", "TYPE", "DEFAULT", "MEANING"}};
  if (SoleValueOf(type, list.keeper.get())) {
    const Member& value = list.fields.front();
    return fmt::format("\n{}\nExample:\n  {}: {}\n", Paragraph(value.doc), type.tag,
                       value.limits.example);
  }
  for (const Member& field : list.fields) {
    rows.push_back({std::string(field.key), TypePhrase(field.type()), DefaultPhrase(field),
                    FirstSentence(field.doc)});
  }
  return "\n" + Table(rows);
}

std::string ChoicesTable(const Type& type) {
  std::vector<std::vector<std::string>> rows = {
      {type.kind == Kind::kKeyed ? "NAME" : "TYPE", "MEANING"}};
  for (const TypeGetter get : type.alternatives) {
    rows.push_back({std::string(get().tag), FirstSentence(get().doc)});
  }
  return "\n" + Table(rows);
}

std::string Describe(const Topic& topic) {
  const Type& type = *topic.type;
  const Type& core = CoreOf(type);
  const bool choice = core.kind == Kind::kVariant || core.kind == Kind::kKeyed;
  std::string facts = choice && type.element == nullptr ? "choice" : TypePhrase(type);
  std::string text;
  if (topic.field) {
    const std::string limits = LimitsPhrase(*topic.field);
    const std::string value = DefaultPhrase(*topic.field);
    if (!limits.empty()) facts += ", " + limits;
    if (!value.empty()) facts += value == "required" ? ", required" : ", default " + value;
    text += "\n" + Paragraph(topic.field->doc);
    if (topic.field->limits.secret) text += "  A secret: messages never show it.\n";
  }
  if (!type.doc.empty()) text += "\n" + Paragraph(type.doc);
  if (core.kind == Kind::kStruct) text += KeysTable(core);
  if (choice) text += ChoicesTable(core);
  if (core.kind == Kind::kStruct || choice) {
    text += fmt::format("\nMore: tidemill explain {}\n",
                        JoinPath(topic.path, choice && core.kind == Kind::kVariant ? "TYPE"
                                             : choice                              ? "NAME"
                                                                                   : "KEY"));
  }
  if (topic.field && !topic.field->limits.example.empty()) {
    text += fmt::format("\nExample:\n  {}: {}\n", topic.field->key, topic.field->limits.example);
  }
  return fmt::format("{}{}{}\n{}", topic.path, topic.path.empty() ? "" : "  ", facts, text);
}

}  // namespace

absl::StatusOr<std::string> ExplainKey(const Type& type, std::string_view path) {
  const std::vector<std::string> words = SplitPath(path);
  Finder finder(words);
  finder.Find({"", &type}, 0);
  if (!finder.found().empty()) {
    std::vector<std::string> texts;
    for (const Topic& topic : finder.found()) texts.push_back(Describe(topic));
    return fmt::format("{}", fmt::join(texts, "\n"));
  }
  const Miss& miss = finder.miss();
  std::string message = fmt::format("no key '{}' {}", miss.word,
                                    miss.path.empty() ? "at the top level" : "in " + miss.path);
  std::vector<std::string> elsewhere;
  std::vector<const Type*> above;
  FindAnywhere(type, "", words.back(), above, elsewhere);
  if (const auto closest = ClosestTo(miss.word, miss.known)) {
    std::string meant = JoinPath(miss.path, *closest);
    for (size_t i = miss.depth + 1; i < words.size(); ++i) meant = JoinPath(meant, words[i]);
    message += fmt::format("; did you mean '{}'?", meant);
  } else if (!elsewhere.empty()) {
    message += fmt::format("; did you mean '{}'?", fmt::join(elsewhere, "' or '"));
  }
  if (!miss.known.empty()) message += fmt::format(" (known: {})", fmt::join(miss.known, ", "));
  return NotFound("{}", message);
}

}  // namespace tidemill::config::internal
