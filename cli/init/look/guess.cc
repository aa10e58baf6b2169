#include "cli/init/look/guess.h"

#include "fmt/format.h"

#include "base/printable.h"
#include "config/scalars.h"

namespace tidemill::cli {
namespace {

std::string Joined(const std::vector<std::string>& parts, char open, char close) {
  std::string text(1, open);
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (text.size() > 1) text += std::string(",") + kBreak;
    text += part;
  }
  return text + close;
}

}  // namespace

std::string YamlText(std::string_view text) { return config::WriteText(text); }

std::string YamlList(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  parts.reserve(texts.size());
  for (const std::string& text : texts) parts.push_back(YamlText(text));
  return Joined(parts, '[', ']');
}

std::string YamlMap(const std::vector<std::string>& parts) { return Joined(parts, '{', '}'); }

std::string InExpression(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string NamesForPeople(const std::vector<std::string>& names, size_t most) {
  std::string text;
  const size_t shown = names.size() > most + 1 ? most : names.size();
  for (size_t place = 0; place < shown; ++place) {
    const bool last = place + 1 == shown && shown == names.size();
    if (place > 0) text += last ? " and " : ", ";
    text += Quoted(names[place]);
  }
  if (shown < names.size()) text += fmt::format(" and {} others", names.size() - shown);
  return text;
}

}  // namespace tidemill::cli
