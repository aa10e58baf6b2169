// Makes the message of a mistake in an expression.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace tidemill::expressions {

// "line 2, column 9", or "column 9" in a text of one line. Columns count characters, from 1.
std::string PlaceIn(std::string_view text, size_t at);

// INVALID_ARGUMENT: "column 9 of 'arr_delay >> 15': a value is expected".
absl::Status MistakeAt(std::string_view text, size_t at, std::string_view message);

template <typename... Args>
absl::Status Mistake(std::string_view text, size_t at, fmt::format_string<Args...> format,
                     Args&&... args) {
  return MistakeAt(text, at, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tidemill::expressions
