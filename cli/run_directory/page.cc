#include "cli/run_directory/page.h"

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

// JSON that may be inside a script element: no tag can begin or end in it.
std::string EmbeddableJson(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else if (c == '>') {
      safe += "\\u003e";
    } else if (c == '&') {
      safe += "\\u0026";
    } else {
      safe += c;
    }
  }
  return safe;
}

// Replaces every `{{name}}` of the template. Inserted text is not searched again.
std::string Fill(std::string_view page, auto&& value_of) {
  std::string filled;
  while (true) {
    const size_t begin = page.find("{{");
    const size_t end = page.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    filled += page.substr(0, begin);
    filled += value_of(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
  return filled.append(page);
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string MakePage(const PageParts& parts, const nlohmann::ordered_json& data) {
  return Fill(parts.markup, [&](std::string_view name) -> std::string {
    if (name == "style") return std::string(parts.style);
    if (name == "script") return std::string(parts.script);
    if (name == "data") return EmbeddableJson(data);
    if (name == "title") return EscapeHtml(parts.title);
    if (name == "over") return EscapeHtml(parts.over);
    if (name == "heading") return EscapeHtml(parts.heading);
    if (name == "headline") return EscapeHtml(parts.headline);
    return "";
  });
}

}  // namespace tidemill::cli
