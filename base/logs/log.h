// Structured log lines on stderr: a fixed lower-case message, then key="value" fields, with UTC
// time, level and the name of the service.
//
//   log::Warn("cannot list files", {{"path", path}, {"error", status.ToString()}});
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tidemill::log {

struct Field {
  std::string_view key;
  std::string value;
};

enum class Level { kDebug, kInfo, kWarn, kError };

// Call it once, before other threads log. With `json`, each line is a JSON object instead of text.
void Configure(std::string_view service, Level least, bool json);

void Debug(std::string_view message, std::initializer_list<Field> fields = {});
// For changes of state.
void Info(std::string_view message, std::initializer_list<Field> fields = {});
// For failures that were handled.
void Warn(std::string_view message, std::initializer_list<Field> fields = {});
// For failures that a person should look at.
void Error(std::string_view message, std::initializer_list<Field> fields = {});

}  // namespace tidemill::log
