// Parses times on the command line.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::cli {

// Returns std::nullopt for an empty text. INVALID_ARGUMENT names the flag.
inline absl::StatusOr<std::optional<Timestamp>> TimeOf(const char* flag, const std::string& text) {
  if (text.empty()) return std::optional<Timestamp>();
  const auto time = ParseTimestamp(text);
  if (!time.ok()) return Annotate(time.status(), flag);
  return std::optional<Timestamp>(*time);
}

}  // namespace tidemill::cli
