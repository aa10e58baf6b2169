// Typed access to the numbers of a column.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fmt/format.h"

#include "batch/batch.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

// Calls body(std::span<const T>) with the column's numbers. Text has none.
template <typename Body>
void VisitNumbers(const batch::Column& column, Body&& body) {
  switch (column.type) {
    case batch::DataType::kInt64:
      return body(column.Values<int64_t>());
    case batch::DataType::kInt32:
      return body(column.Values<int32_t>());
    case batch::DataType::kUInt8:
      return body(column.Values<uint8_t>());
    case batch::DataType::kFloat32:
      return body(column.Values<float>());
    case batch::DataType::kFloat64:
      return body(column.Values<double>());
    case batch::DataType::kBinary:
      return;
  }
}

template <typename T>
constexpr batch::DataType TypeOf() {
  if constexpr (std::is_same_v<T, int64_t>) return batch::DataType::kInt64;
  if constexpr (std::is_same_v<T, int32_t>) return batch::DataType::kInt32;
  if constexpr (std::is_same_v<T, uint8_t>) return batch::DataType::kUInt8;
  if constexpr (std::is_same_v<T, float>) return batch::DataType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return batch::DataType::kFloat64;
}

// A column of zeros, to be written through `data` before it is shared.
template <typename T>
batch::Column NewColumn(std::string_view name, int64_t num_rows, std::vector<int64_t> shape) {
  batch::Column column{.name = std::string(name), .type = TypeOf<T>(), .shape = std::move(shape)};
  column.data = batch::Buffer::Allocate(num_rows * column.Width() * sizeof(T));
  return column;
}

// The same of numbers that are anything, for who writes every one.
template <typename T>
batch::Column NewUnwrittenColumn(std::string_view name, int64_t num_rows,
                                 std::vector<int64_t> shape) {
  batch::Column column{.name = std::string(name), .type = TypeOf<T>(), .shape = std::move(shape)};
  column.data = batch::Buffer::AllocateUnwritten(num_rows * column.Width() * sizeof(T));
  return column;
}

// True when some number is infinite or not a number. One pass without branches.
template <typename T>
bool HasNonFinite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Bits kExponent =
      static_cast<Bits>(sizeof(T) == 4 ? 0x7f800000ULL : 0x7ff0000000000000ULL);
  Bits found = 0;
  for (const T value : values) {
    found |= static_cast<Bits>((std::bit_cast<Bits>(value) & kExponent) == kExponent);
  }
  return found != 0;
}

// Rejects the rows of a column of floats that hold a number that is not finite.
template <typename T>
void RejectNonFinite(const batch::Column& column, Frame& frame) {
  const std::span<const T> values = column.Values<T>();
  if (!HasNonFinite(values)) return;
  const int64_t width = column.Width();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    frame.Reject(
        static_cast<int64_t>(i) / width,
        fmt::format("column {} holds {}, which is not a finite number", column.name, values[i]));
  }
}

}  // namespace tidemill::transform
