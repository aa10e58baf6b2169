// One self-contained HTML file: its style, its script and its data are inside.
#pragma once

#include <string>
#include <string_view>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::cli {

// What a page is made of; see web/page.html, which has the names in double braces.
struct PageParts {
  // Markup, style and script of this program, which stand as they are.
  std::string_view markup;
  std::string_view style;
  std::string_view script;
  // Whatever users named or wrote, which becomes text.
  std::string title;
  std::string over;  // Stands above the heading.
  std::string heading;
  std::string headline;
};

// The page, whose script finds `data` in it. It opens without a network, and its content security
// policy forbids it any.
std::string MakePage(const PageParts& parts, const nlohmann::ordered_json& data);

// & < > " ' as character references.
std::string EscapeHtml(std::string_view text);

}  // namespace tidemill::cli
