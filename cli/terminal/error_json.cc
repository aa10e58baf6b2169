#include "cli/terminal/error_json.h"

#include <cstdio>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

std::string AdviceOf(const config::Problem& finding) {
  const bool has_both = !finding.hint.empty() && !finding.note.empty();
  return fmt::format("{}{}{}", finding.hint, has_both ? "; " : "", finding.note);
}

void AddText(const char* key, std::string_view text, ordered_json& json) {
  if (!text.empty()) json[key] = std::string(text);
}

void AddFinding(const config::Problem& finding, std::string_view advice, ordered_json& json) {
  json["message"] = finding.message;
  AddText("file", finding.file, json);
  if (finding.position.line > 0) {
    json["line"] = finding.position.line;
    json["column"] = finding.position.column;
  }
  AddText("path", finding.path, json);
  AddText("advice", advice.empty() ? AdviceOf(finding) : advice, json);
}

}  // namespace

ordered_json ErrorToJson(const ErrorText& error) {
  ordered_json json = {{"code", NameOf(error.code)}, {"exit_code", static_cast<int>(error.code)}};
  if (error.findings.empty()) {
    json["message"] = error.message;
    AddText("advice", error.advice, json);
    return json;
  }
  AddFinding(error.findings.front(), error.advice, json);
  if (error.findings.size() == 1) return json;
  for (const config::Problem& finding : error.findings) {
    AddFinding(finding, "", json["findings"].emplace_back(ordered_json::object()));
  }
  return json;
}

void PrintErrorJson(const ErrorText& error) {
  const ordered_json document = {{"error", ErrorToJson(error)}};
  fmt::print("{}\n", document.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace tidemill::cli
