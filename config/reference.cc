#include "config/reference.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"

#include "config/phrases.h"
#include "config/reference_pages.h"

namespace tidemill::config::internal {
namespace {

using Place = ReferencePages::Place;

// The anchor that Markdown renderers give to a heading.
std::string Slug(std::string_view heading) {
  std::string slug;
  for (const char c : heading) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (letter) slug += c;
    if (c >= 'A' && c <= 'Z') slug += static_cast<char>(c - 'A' + 'a');
    if (c == ' ') slug += '-';
  }
  return slug;
}

// Keeps Markdown from reading marks into a sentence; code in backticks is not changed.
std::string Escape(std::string_view text) {
  std::string out;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (c == '<' && !in_code) {
      out += "&lt;";
      continue;
    }
    if (c == '|' || (c == '*' && !in_code)) out += '\\';
    out += c;
  }
  return out;
}

std::string Code(std::string_view text) {
  return text.empty() ? "" : Escape(fmt::format("`{}`", text));
}

bool IsComposite(const Type& type) {
  return type.kind == Kind::kStruct || type.kind == Kind::kVariant || type.kind == Kind::kKeyed;
}

// "evaluation[]", "datasets.<name>": the path of the elements of the lists and maps at `path`.
std::string CorePath(const Type& type, const std::string& path) {
  if (type.element == nullptr) return path;
  const std::string below = type.kind == Kind::kList  ? path + "[]"
                            : type.kind == Kind::kMap ? JoinPath(path, "<name>")
                                                      : path;
  return CorePath(type.element(), below);
}

struct ValueForm {
  Kind kind;
  std::string_view name;
  std::string_view meaning;
};

constexpr ValueForm kForms[] = {
    {Kind::kInt64, "whole number", "`2000`, `1_000_000`, `1e6` or `1M`"},
    {Kind::kCount, "count", "`2000`, `1_000_000`, `1e6` or `1M`"},
    {Kind::kDevice, "device", "`auto`, `cpu`, `cuda` for any GPU, or `cuda:1` for the second one"},
    {Kind::kDuration, "duration", "a number with a unit: `500ms`, `90s`, `5m`, `2h`, `7d`, `4w`"},
    {Kind::kTimestamp, "time", "`2026-01-31T08:00:00Z` or `2026-01-31`; without a zone it is UTC"},
    {Kind::kClockTime, "time",
     "`2026-01-31T08:00:00Z` or `2026-01-31`; without a zone it is on the clock of the dataset, "
     "`event_time.time_zone`"},
    {Kind::kByteSize, "size", "a number with a unit: `512B`, `500kB`, `64MiB`, `1.5GiB`"},
    {Kind::kString, "text",
     "quote a text that looks like another type: `\"no\"`, `\"012\"`, `\"1.10\"`"},
    {Kind::kNameList, "all, or list of names", "`all` or `[first, second]`"},
    {Kind::kNamePairs, "name, list of names, or pairs of names",
     "`first`, `[first, second]` or `{first: its name elsewhere}`"},
};

class Page {
 public:
  Page(std::map<const Type*, Place>& places, std::string_view file)
      : places_(places), file_(file) {}

  std::string Write(const Type& type, std::string_view title) {
    text_ = fmt::format("# {}\n", title);
    const Type& core = CoreOf(type);
    if (type.element != nullptr) text_ += fmt::format("\nA {}.\n", TypePhrase(type));
    places_.try_emplace(&core, Place{file_, std::string(title)});
    WriteBody(core, CorePath(type, ""));
    WriteForms();
    return text_;
  }

 private:
  void WriteBody(const Type& type, const std::string& path) {
    if (type.kind == Kind::kStruct) return WriteStruct(type, path);
    if (IsComposite(type)) WriteChoice(type, path);
  }

  void WriteStruct(const Type& type, const std::string& path) {
    if (!type.doc.empty()) text_ += fmt::format("\n{}\n", Escape(type.doc));
    const FieldList list = FieldsOf(type);
    if (list.fields.empty()) {
      text_ += "\nNo keys.\n";
      return;
    }
    if (SoleValueOf(type, list.keeper.get())) return WriteSoleValue(list.fields.front(), path);
    std::vector<std::pair<const Type*, std::string>> below;
    text_ += "\n| key | type | default | limits | meaning |\n|---|---|---|---|---|\n";
    for (const Member& field : list.fields) {
      const std::string field_path = CorePath(field.type(), JoinPath(path, field.key));
      const Type& core = CoreOf(field.type());
      used_.insert(core.kind == Kind::kInt32 ? Kind::kInt64 : core.kind);
      if (IsComposite(core) && places_.try_emplace(&core, Place{file_, field_path}).second) {
        below.emplace_back(&core, field_path);
      }
      text_ += Row(field);
    }
    for (const auto& [core, field_path] : below) {
      text_ += fmt::format("\n## `{}`\n", field_path);
      WriteBody(*core, field_path);
    }
  }

  void WriteSoleValue(const Member& field, const std::string& path) {
    const std::string tag = path.substr(path.rfind('.') + 1);
    text_ += fmt::format("\n{} ({}). Example: {}\n", Escape(field.doc), TypePhrase(field.type()),
                         Code(fmt::format("{}: {}", tag, field.limits.example)));
  }

  std::string Row(const Member& field) const {
    const Type& core = CoreOf(field.type());
    std::string type = Escape(TypePhrase(field.type()));
    if (IsComposite(core)) {  // Link the last words: "list of [sections](#beds)".
      const size_t start = core.kind == Kind::kStruct ? type.rfind(' ') + 1 : 0;
      type = fmt::format("{}[{}]({})", type.substr(0, start), type.substr(start),
                         LinkTo(places_.at(&core)));
    }
    const std::string value = DefaultPhrase(field);
    const bool word =
        value == "required" || value == "none" || value == "empty" || value == "several keys";
    std::string meaning = Escape(field.doc);
    if (!field.limits.example.empty()) {
      meaning += fmt::format(" Example: {}", Code(field.limits.example));
    }
    if (field.limits.secret) meaning += " Never shown in messages.";
    return fmt::format("| `{}` | {} | {} | {} | {} |\n", field.key, type,
                       value == "required" ? "**required**"
                       : word              ? value
                                           : Code(value),
                       LimitsPhrase(field), meaning);
  }

  void WriteChoice(const Type& type, const std::string& path) {
    const bool keyed = type.kind == Kind::kKeyed;
    text_ += keyed ? "\nEach entry is a name with its keys, `name: {...}`. The name alone is "
                     "enough if no key is required.\n"
                   : "\nWritten `{type: ..., ...}`. The type's name alone is enough if no key is "
                     "required.\n";
    text_ += fmt::format("\n| {} | meaning |\n|---|---|\n", keyed ? "name" : "type");
    std::vector<const Type*> below;
    for (const TypeGetter get : type.alternatives) {
      const auto [it, here] = places_.try_emplace(&get(), Place{file_, Heading(type, get(), path)});
      if (here) below.push_back(&get());
      text_ += fmt::format("| [`{}`]({}) | {} |\n", get().tag, LinkTo(it->second),
                           Escape(FirstSentence(get().doc)));
    }
    for (const Type* alternative : below) {
      text_ += fmt::format("\n### `{}`\n", Heading(type, *alternative, path));
      WriteStruct(*alternative, JoinPath(path, alternative->tag));
    }
  }

  std::string LinkTo(const Place& place) const {
    std::string anchor = place.heading.empty() ? "" : "#" + Slug(place.heading);
    if (place.file == file_) return anchor;
    const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    return std::filesystem::path(place.file).lexically_relative(folder).string() + anchor;
  }

  static std::string Heading(const Type& type, const Type& alternative, const std::string& path) {
    return type.kind == Kind::kKeyed ? JoinPath(path, alternative.tag)
                                     : fmt::format("{} type: {}", path, alternative.tag);
  }

  void WriteForms() {
    if (std::ranges::none_of(kForms, [&](const ValueForm& f) { return used_.contains(f.kind); })) {
      return;
    }
    text_ += "\n## How values are written\n\n| type | written |\n|---|---|\n";
    for (const ValueForm& form : kForms) {
      if (used_.contains(form.kind)) {
        text_ += fmt::format("| {} | {} |\n", form.name, form.meaning);
      }
    }
  }

  std::string text_;
  std::map<const Type*, Place>& places_;
  const std::string file_;
  std::set<Kind> used_;
};

}  // namespace

std::string ReferenceOf(const Type& type, std::string_view title) {
  return ReferencePages().Write(type, title, "");
}

}  // namespace tidemill::config::internal

namespace tidemill::config {

void ReferencePages::Assign(const internal::Type& type, std::string_view file) {
  places_[&type] = {std::string(file), ""};
}

std::string ReferencePages::Write(const internal::Type& type, std::string_view title,
                                  std::string_view file) {
  return internal::Page(places_, file).Write(type, title);
}

}  // namespace tidemill::config
