#include "supervisor/triggers/phrases.h"

#include <cmath>

#include "fmt/format.h"

namespace tidemill::supervisor {
namespace {

// A whole number in groups of three.
std::string Grouped(double whole) {
  std::string digits = fmt::format("{:.0f}", std::abs(whole));
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (whole < 0 ? "-" : "") + digits;
}

// Two units, the smaller one left out where it is zero.
std::string Two(double big, const char* big_unit, double small, const char* small_unit) {
  std::string text = fmt::format("{} {}", Grouped(big), big_unit);
  if (small > 0) text += fmt::format(" {:.0f} {}", small, small_unit);
  return text;
}

}  // namespace

std::string Figure(double number) {
  if (number == std::floor(number) || std::abs(number) >= 1000) {
    return Grouped(std::round(number));
  }
  return fmt::format("{:.4g}", number);
}

std::string Counted(double number, std::string_view noun) {
  return fmt::format("{} {}{}", Figure(number), noun, number == 1 ? "" : "s");
}

std::string Span(double seconds) {
  const double size = std::abs(seconds);
  if (size < 10) return fmt::format("{:.3g} s", seconds);
  const double whole = std::round(size);
  const char* sign = seconds < 0 ? "-" : "";
  const auto two = [&](double big, const char* unit, double small, const char* small_unit) {
    const double rest = std::floor(std::fmod(whole, big) / small);
    return sign + Two(std::floor(whole / big), unit, rest, small_unit);
  };
  if (whole < 60) return fmt::format("{}{:.0f} s", sign, whole);
  if (whole < 3600) return two(60, "min", 1, "s");
  if (whole < 86400) return two(3600, "h", 60, "min");
  return two(86400, "d", 3600, "h");
}

}  // namespace tidemill::supervisor
