#include "cli/terminal/log_lines.h"

#include <algorithm>
#include <cstdlib>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using log::Level;

constexpr std::pair<const char*, Level> kLevels[] = {{"debug", Level::kDebug},
                                                     {"info", Level::kInfo},
                                                     {"warn", Level::kWarn},
                                                     {"error", Level::kError}};

// What PostgreSQL calls them.
constexpr std::pair<const char*, Level> kDatabaseLevels[] = {
    {"LOG", Level::kInfo},    {"WARNING", Level::kWarn},   {"ERROR", Level::kError},
    {"FATAL", Level::kError}, {"PANIC", Level::kError},    {"HINT", Level::kInfo},
    {"DETAIL", Level::kInfo}, {"STATEMENT", Level::kInfo}, {"NOTICE", Level::kInfo}};

std::string NameOf(Level level) {
  for (const auto& [name, known] : kLevels) {
    if (known == level) return name;
  }
  return "info";
}

// Undoes the escapes of base/logs/log.cc, to the closing quote or the end; moves `at` past it.
std::string Unescaped(const std::string& text, size_t& at) {
  std::string out;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at];
      continue;
    }
    const char next = text[++at];
    if (next == 'n') {
      out += '\n';
    } else if (next == 'x' && at + 2 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(at + 1, 2).c_str(), nullptr, 16));
      at += 2;
    } else {
      out += next;
    }
  }
  ++at;
  return out;
}

// ` key="value" key="value"` from `at` on.
void ReadFields(const std::string& text, size_t at, LogLine& line) {
  while (at < text.size() && text[at] == ' ') {
    const size_t equals = text.find("=\"", at);
    if (equals == std::string::npos) return;
    const std::string key = text.substr(at + 1, equals - at - 1);
    at = equals + 2;
    line.fields.emplace_back(key, Unescaped(text, at));
  }
}

// The beginning of the first ` key="`, or the end.
size_t EndOfMessage(const std::string& text, size_t from) {
  for (size_t quote = text.find("=\"", from); quote != std::string::npos;
       quote = text.find("=\"", quote + 1)) {
    const size_t space = text.rfind(' ', quote);
    if (space != std::string::npos && space >= from) return space;
  }
  return text.size();
}

// "2026-03-01 10:00:00.123 UTC [42] LOG:  message"
std::optional<LogLine> ParseDatabaseLine(const std::string& text) {
  if (text.size() < 24 || text[10] != ' ' || text.compare(23, 5, " UTC ") != 0) return std::nullopt;
  const auto time = ParseTimestamp(text.substr(0, 10) + "T" + text.substr(11, 12) + "Z");
  const size_t level = text.find("] ", 28);
  const size_t colon = text.find(":  ", 28);
  if (!time.ok() || level == std::string::npos || colon == std::string::npos || colon < level + 2) {
    return std::nullopt;
  }
  LogLine line{.text = text,
               .time = *time,
               .service = "postgres",
               .message = text.substr(colon + 3),
               .fields = {}};
  const std::string word = text.substr(level + 2, colon - level - 2);
  for (const auto& [name, known] : kDatabaseLevels) {
    if (word == name) line.level = known;
  }
  return line;
}

}  // namespace

std::optional<Level> LevelNamed(const std::string& name) {
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

std::optional<LogLine> ParseLogLine(const std::string& text) {
  // 2026-03-01T10:00:00.123456Z warn  storage: cannot list files path="/data"
  const size_t first = text.find(' ');
  if (first == std::string::npos) return std::nullopt;
  const auto time = ParseTimestamp(text.substr(0, first));
  if (!time.ok()) return ParseDatabaseLine(text);
  const size_t second = text.find(' ', first + 1);
  const auto level = LevelNamed(text.substr(first + 1, second - first - 1));
  const size_t service = text.find_first_not_of(' ', second);
  const size_t colon = text.find(": ", service);
  if (!level || service == std::string::npos || colon == std::string::npos) {
    return ParseDatabaseLine(text);
  }
  LogLine line{.text = text,
               .time = *time,
               .level = *level,
               .service = text.substr(service, colon - service),
               .message = {},
               .fields = {}};
  const size_t end = EndOfMessage(text, colon + 2);
  size_t at = colon + 2;
  line.message = Unescaped(text.substr(0, end), at);
  ReadFields(text, end, line);
  return line;
}

bool LogFilter::Admits(const LogLine& line) const {
  if (line.time < since || line.level < least) return false;
  return run.empty() || std::any_of(line.fields.begin(), line.fields.end(), [&](const auto& field) {
           return field.first == "run" && field.second == run;
         });
}

nlohmann::ordered_json ToJson(const LogLine& line) {
  nlohmann::ordered_json json = {{"time", FormatTimestamp(line.time)},
                                 {"level", NameOf(line.level)},
                                 {"service", line.service},
                                 {"message", line.message}};
  for (const auto& [key, value] : line.fields) json[key] = value;
  return json;
}

}  // namespace tidemill::cli
