// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill {

// "1,461"
inline std::string WithThousands(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace tidemill
