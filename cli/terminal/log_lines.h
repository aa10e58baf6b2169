// Parses lines of the services' logs (base/logs/log.h), and of PostgreSQL's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/logs/log.h"
#include "base/time.h"

namespace tidemill::cli {

struct LogLine {
  std::string text;  // As in the file, without the line end.
  Timestamp time = {};
  log::Level level = log::Level::kInfo;
  std::string service;
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields;  // Unescaped.
};

// Returns the line. std::nullopt when no logger wrote it, such as the output of a library.
std::optional<LogLine> ParseLogLine(const std::string& text);

// The lines that `tidemill logs` shows.
struct LogFilter {
  Timestamp since = {0};
  log::Level least = log::Level::kDebug;
  std::string run;  // Only lines with a field run="...". Empty for all.

  bool Admits(const LogLine& line) const;
};

// Returns the level of "debug", "info", "warn" or "error"; std::nullopt for any other word.
std::optional<log::Level> LevelNamed(const std::string& name);

// {"time", "level", "service", "message", and the fields}
nlohmann::ordered_json ToJson(const LogLine& line);

}  // namespace tidemill::cli
