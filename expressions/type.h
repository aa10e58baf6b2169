// The types of values in expressions. Each has a null in band, so that a column of values is one
// array.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tidemill::expressions {

enum class Type : uint8_t {
  kNumber,  // double; null is NaN.
  kWhole,   // int64_t; null is kNullWhole.
  kTruth,   // Truth.
  kText,    // std::string_view; null has no data.
  kTime,    // int64_t, microseconds since 1970-01-01 UTC; null is kNullWhole.
};

// The order makes `and` the least and `or` the greatest of two values, as SQL defines them.
enum class Truth : uint8_t { kFalse = 0, kNull = 1, kTrue = 2 };

inline constexpr int64_t kNullWhole = std::numeric_limits<int64_t>::min();
inline constexpr double kNullNumber = std::numeric_limits<double>::quiet_NaN();

template <typename T>
inline constexpr T kNullOf{};  // A text has no data.
template <>
inline constexpr double kNullOf<double> = kNullNumber;
template <>
inline constexpr int64_t kNullOf<int64_t> = kNullWhole;
template <>
inline constexpr Truth kNullOf<Truth> = Truth::kNull;

inline bool IsNull(double value) { return std::isnan(value); }
inline bool IsNull(int64_t value) { return value == kNullWhole; }
inline bool IsNull(Truth value) { return value == Truth::kNull; }
inline bool IsNull(std::string_view value) { return value.data() == nullptr; }

// "a number", "a whole number", "a boolean", "a text", "a time".
std::string_view Describe(Type type);

// The bytes of one value in an array.
size_t SizeOf(Type type);

}  // namespace tidemill::expressions
