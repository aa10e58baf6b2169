#include "base/logs/log.h"

#include <cstdlib>
#include <memory>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "spdlog/logger.h"
#include "spdlog/sinks/stdout_sinks.h"

#include "base/logs/log_file.h"
#include "base/printable.h"
#include "base/time.h"

namespace tidemill::log {
namespace {

// Set by Configure() before other threads log.
struct Settings {
  std::string service = "tidemill";
  bool json = false;
  std::unique_ptr<LogFile> file;  // nullptr where others look after the file.
  // spdlog filters by level and writes each line whole; the line is made here.
  spdlog::logger logger{"tidemill", std::make_shared<spdlog::sinks::stderr_sink_mt>()};

  Settings() {
    logger.set_pattern("%v");
    logger.flush_on(spdlog::level::debug);
  }
};

Settings& GetSettings() {
  static Settings* const settings = new Settings;  // Never destroyed: threads may log during exit.
  return *settings;
}

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
  }
  return "error";
}

// Nothing that is logged can start a new line, move a terminal's cursor or end the quotes.
std::string Escape(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return Printable(quoted);
}

std::string TextLine(Level level, std::string_view service, std::string_view message,
                     std::initializer_list<Field> fields) {
  std::string line = fmt::format("{} {:<5} {}: {}", FormatTimestamp(Now()), NameOf(level), service,
                                 Escape(message));
  for (const Field& field : fields) {
    line += fmt::format(" {}=\"{}\"", Escape(field.key), Escape(field.value));
  }
  return line;
}

std::string JsonLine(Level level, std::string_view service, std::string_view message,
                     std::initializer_list<Field> fields) {
  nlohmann::ordered_json line;
  line["time"] = FormatTimestamp(Now());
  line["level"] = NameOf(level);
  line["service"] = service;
  line["message"] = message;
  for (const Field& field : fields) line[std::string(field.key)] = field.value;
  return line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void Write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  Settings& settings = GetSettings();
  if (!settings.logger.should_log(ToSpdlog(level))) return;
  const std::string line = settings.json ? JsonLine(level, settings.service, message, fields)
                                         : TextLine(level, settings.service, message, fields);
  if (settings.file != nullptr) settings.file->BeforeLine();
  settings.logger.log(ToSpdlog(level), spdlog::string_view_t(line));
}

}  // namespace

void Configure(std::string_view service, Level least, bool json) {
  Settings& settings = GetSettings();
  settings.service = service;
  settings.json = json;
  if (const char* const path = std::getenv(kFileVariable); path != nullptr) {
    settings.file = std::make_unique<LogFile>(path, kMaxFileBytes, kKeptFiles);
  }
  settings.logger.set_level(ToSpdlog(least));
}

void Debug(std::string_view message, std::initializer_list<Field> fields) {
  Write(Level::kDebug, message, fields);
}
void Info(std::string_view message, std::initializer_list<Field> fields) {
  Write(Level::kInfo, message, fields);
}
void Warn(std::string_view message, std::initializer_list<Field> fields) {
  Write(Level::kWarn, message, fields);
}
void Error(std::string_view message, std::initializer_list<Field> fields) {
  Write(Level::kError, message, fields);
}

}  // namespace tidemill::log
