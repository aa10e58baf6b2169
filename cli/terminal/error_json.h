// Errors as documents, for --json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/terminal/exit_codes.h"
#include "config/documents/problems.h"

namespace tidemill::cli {

// What a failed command says.
struct ErrorText {
  ExitCode code = kFailed;
  std::string message = {};
  std::string advice = {};                     // What to do; empty when it is in the message.
  std::vector<config::Problem> findings = {};  // In the order of the file.
};

// Returns {"code", "exit_code", "message", "file", "line", "column", "path", "advice"}, without the
// members that are not known. They are those of the first finding; with several, "findings" lists
// all of them with the same members.
nlohmann::ordered_json ErrorToJson(const ErrorText& error);

// Prints {"error": ...} as one line on stdout. Bytes that are not UTF-8 are replaced.
void PrintErrorJson(const ErrorText& error);

}  // namespace tidemill::cli
