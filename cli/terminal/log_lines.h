// Lines of the services' logs (base/log.h), and of PostgreSQL's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/log.h"
#include "base/time.h"

namespace tidemill::cli {

struct LogLine {
  std::string text;  // As it stands in the file, without the line end.
  Timestamp time = {};
  log::Level level = log::Level::kInfo;
  std::string service;
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields;  // Unescaped.
};

// The line; std::nullopt for one that no logger wrote, such as what a library printed.
std::optional<LogLine> ParseLogLine(const std::string& text);

// What `tidemill logs` was asked for.
struct LogFilter {
  Timestamp since = {0};
  log::Level least = log::Level::kDebug;
  std::string run;  // Lines with a field run="...". Empty: all.

  bool Admits(const LogLine& line) const;
};

// "debug", "info", "warn", "error"; std::nullopt for another word.
std::optional<log::Level> LevelNamed(const std::string& name);

// {"time", "level", "service", "message", and the fields}
nlohmann::ordered_json ToJson(const LogLine& line);

}  // namespace tidemill::cli
