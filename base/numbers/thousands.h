// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

#include "fmt/format.h"

namespace tidemill {

// "1,461"
inline std::string WithThousands(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

// "812 bytes", "3.1 KiB", "58 KiB"
inline std::string WithUnit(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  auto amount = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* const larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (amount < 1023.5 && *unit != '\0') break;
    amount /= 1024;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", amount, amount < 9.95 ? 1 : 0, unit);
}

// "3.1 KiB of 58 KiB (5.3 %)". A part greater than 0 is never shown as 0 %.
inline std::string ShareOfBytes(int64_t part, int64_t whole) {
  const double percent =
      whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 100;
  const std::string text = percent < 0.05 ? "less than 0.1" : fmt::format("{:.1f}", percent);
  return fmt::format("{} of {} ({} %)", WithUnit(part), WithUnit(whole), text);
}

}  // namespace tidemill
