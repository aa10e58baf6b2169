#include "config/numbers.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"

namespace tidemill::config {
namespace {

__extension__ using Wide = __int128;  // Holds any int64 times any unit.

// A decimal number: digits * 10^exponent.
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
};

constexpr Wide kTooWide = static_cast<Wide>(1) << 80;

// Takes "12", "1_000", "1.5", "-3", "1e6" off the front of `text`.
std::optional<Decimal> TakeDecimal(std::string_view& text) {
  Decimal number;
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  bool fraction = false;
  bool last_is_digit = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      number.digits = number.digits * 10 + (c - '0');
      if (number.digits > kTooWide) return std::nullopt;
      number.exponent -= fraction ? 1 : 0;
    } else if (c == '.' && !fraction && last_is_digit) {
      fraction = true;
    } else if (c != '_' || !last_is_digit) {
      break;
    }
    last_is_digit = c >= '0' && c <= '9';
  }
  const bool leading_zero = at > 1 && text[0] == '0' && text[1] != '.';
  if (at == 0 || !last_is_digit || leading_zero) return std::nullopt;
  text.remove_prefix(at);
  if (negative) number.digits = -number.digits;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(text.starts_with("e+") || text.starts_with("E+") ? 2 : 1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc() || exponent > 100 || exponent < -100) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    number.exponent += exponent;
  }
  return number;
}

// number * unit when that is a whole int64.
std::optional<int64_t> Exactly(Decimal number, int64_t unit) {
  Wide value = number.digits;
  for (; number.exponent < 0 && value % 10 == 0 && value != 0; ++number.exponent) value /= 10;
  if (value == 0) return 0;
  value *= unit;
  for (; number.exponent < 0; ++number.exponent) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  constexpr Wide kMax = std::numeric_limits<int64_t>::max();
  for (; number.exponent > 0 && value <= kMax && value >= -kMax; --number.exponent) value *= 10;
  if (value > kMax || value < -kMax - 1) return std::nullopt;
  return static_cast<int64_t>(value);
}

struct Unit {
  std::string_view name;
  int64_t size;
};

constexpr std::array kCountUnits = {Unit{"", 1}, Unit{"k", 1'000}, Unit{"K", 1'000},
                                    Unit{"M", 1'000'000}, Unit{"G", 1'000'000'000}};
constexpr std::array kByteUnits = {Unit{"TiB", int64_t{1} << 40},
                                   Unit{"GiB", int64_t{1} << 30},
                                   Unit{"MiB", int64_t{1} << 20},
                                   Unit{"KiB", int64_t{1} << 10},
                                   Unit{"TB", 1'000'000'000'000},
                                   Unit{"GB", 1'000'000'000},
                                   Unit{"MB", 1'000'000},
                                   Unit{"kB", 1'000},
                                   Unit{"KB", 1'000},
                                   Unit{"B", 1}};

template <size_t N>
std::optional<int64_t> ParseWithUnit(std::string_view text, const std::array<Unit, N>& units) {
  const std::optional<Decimal> number = TakeDecimal(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (text == unit.name) return Exactly(*number, unit.size);
  }
  return std::nullopt;
}

std::optional<int> ParseGpuIndex(std::string_view text) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const bool is_plain = std::to_string(index) == text;  // No sign, no leading zero.
  return is_plain && index >= 0 && index < kMaxGpus ? std::optional(index) : std::nullopt;
}

}  // namespace

absl::StatusOr<int64_t> ParseCount(std::string_view text) {
  if (const auto value = ParseWithUnit(text, kCountUnits)) return *value;
  return InvalidArgument("expected a whole number such as 2000, 1_000_000, 1e6 or 1M, got '{}'",
                         text);
}

absl::StatusOr<ByteSize> ParseByteSize(std::string_view text) {
  if (const auto bytes = ParseWithUnit(text, kByteUnits)) return ByteSize{*bytes};
  return InvalidArgument("expected a size with its unit such as 64MiB or 500kB, got '{}'", text);
}

std::string FormatByteSize(ByteSize size) {
  for (const Unit& unit : kByteUnits) {
    const bool binary = unit.name.size() == 3;
    if (binary && size.bytes != 0 && size.bytes % unit.size == 0) {
      return fmt::format("{}{}", size.bytes / unit.size, unit.name);
    }
  }
  return fmt::format("{}B", size.bytes);
}

absl::StatusOr<DeviceChoice> ParseDevice(std::string_view text) {
  if (text == "auto") return DeviceChoice();
  if (text == "cpu") return kCpuDevice;
  if (text == "cuda") return DeviceChoice{.kind = DeviceChoice::Kind::kCuda};
  constexpr std::string_view kNumbered = "cuda:";
  if (text.starts_with(kNumbered)) {
    const std::optional<int> index = ParseGpuIndex(text.substr(kNumbered.size()));
    if (index) return DeviceChoice{.kind = DeviceChoice::Kind::kCuda, .index = index};
  }
  return InvalidArgument("'{}' is not a device; write auto, cpu, cuda or cuda:1", text);
}

std::string FormatDevice(const DeviceChoice& device) {
  switch (device.kind) {
    case DeviceChoice::Kind::kCpu:
      return "cpu";
    case DeviceChoice::Kind::kCuda:
      return device.index ? fmt::format("cuda:{}", *device.index) : "cuda";
    case DeviceChoice::Kind::kAuto:
      break;
  }
  return "auto";
}

}  // namespace tidemill::config
