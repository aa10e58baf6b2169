// A self-contained HTML file: its style, its script and its data are inside.
#pragma once

#include <string>
#include <string_view>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::cli {

// The parts of a page. web/page.html has their names in double braces.
struct PageParts {
  // Markup, style and script of this program. They are copied unchanged.
  std::string_view markup;
  std::string_view style;
  std::string_view script;
  // Text from users. It is escaped.
  std::string title;
  std::string over;  // Shown above the heading.
  std::string heading;
  std::string headline;
};

// Returns the page. Its script finds `data` in it. It opens without a network, and its content
// security policy forbids any.
std::string MakePage(const PageParts& parts, const nlohmann::ordered_json& data);

// Replaces & < > " ' by character references.
std::string EscapeHtml(std::string_view text);

}  // namespace tidemill::cli
