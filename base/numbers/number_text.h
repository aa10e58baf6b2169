// Reads numbers from text as people and programs write them.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string_view>
#include <system_error>

#include "absl/strings/charconv.h"

namespace tidemill {

// Whether a number that no float of its type can hold is too close to 0 for it, rather than too
// large.
inline bool IsTooSmall(std::string_view number) {
  double nearest = 0;
  absl::from_chars(number.data(), number.data() + number.size(), nearest);
  return std::abs(nearest) < 1;
}

// Reads a number at the front of `text`, as std::from_chars() does. A float is the nearest one,
// also where it is 0 or a tiny one, as strtod() and other programs read it: only numbers that are
// too large are out of range.
template <typename T>
std::from_chars_result ReadNumber(std::string_view text, T& value) {
  std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value);
  if constexpr (std::floating_point<T>) {
    if (read.ec == std::errc::result_out_of_range && IsTooSmall(text)) {
      value = text.starts_with('-') ? -T{0} : T{0};
      read.ec = std::errc();
    }
  }
  return read;
}

}  // namespace tidemill
