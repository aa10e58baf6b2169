// Typed access to the numbers of a column.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/check.h"
#include "batch/batch.h"
#include "transform/engine/frame.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Calls body(std::span<const T>) with `count` numbers of a type. Columns of text have no numbers.
template <typename Body>
void VisitNumbers(batch::DataType type, const std::byte* numbers, int64_t count, Body&& body) {
  const auto visit = [&]<typename T>(T /*type*/) {
    body(std::span<const T>(reinterpret_cast<const T*>(numbers), static_cast<size_t>(count)));
  };
  switch (type) {
    case batch::DataType::kInt64:
      return visit(int64_t{});
    case batch::DataType::kInt32:
      return visit(int32_t{});
    case batch::DataType::kUInt8:
      return visit(uint8_t{});
    case batch::DataType::kFloat32:
      return visit(float{});
    case batch::DataType::kFloat64:
      return visit(double{});
    case batch::DataType::kBinary:
      return;
  }
}

// Does the same with all numbers of a column.
template <typename Body>
void VisitNumbers(const batch::Column& column, Body&& body) {
  const auto count = static_cast<int64_t>(column.data.size() / batch::SizeOf(column.type));
  VisitNumbers(column.type, column.data.data(), count, std::forward<Body>(body));
}

template <typename T>
constexpr batch::DataType TypeOf() {
  if constexpr (std::is_same_v<T, int64_t>) return batch::DataType::kInt64;
  if constexpr (std::is_same_v<T, int32_t>) return batch::DataType::kInt32;
  if constexpr (std::is_same_v<T, uint8_t>) return batch::DataType::kUInt8;
  if constexpr (std::is_same_v<T, float>) return batch::DataType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return batch::DataType::kFloat64;
}

// Returns a column of zeros. Write to it through `data` before it is shared.
template <typename T>
batch::Column NewColumn(std::string_view name, int64_t num_rows,
                        std::vector<int64_t> shape) {  // NOLINT: it is moved.
  batch::Column column{.name = std::string(name), .type = TypeOf<T>(), .shape = std::move(shape)};
  column.data = batch::Buffer::Allocate(num_rows * column.Width() * sizeof(T));
  return column;
}

// Returns a column whose numbers are not initialised, for a caller that writes every number.
template <typename T>
batch::Column NewUnwrittenColumn(std::string_view name, int64_t num_rows,
                                 std::vector<int64_t> shape) {  // NOLINT: it is moved.
  batch::Column column{.name = std::string(name), .type = TypeOf<T>(), .shape = std::move(shape)};
  column.data = batch::Buffer::AllocateUnwritten(num_rows * column.Width() * sizeof(T));
  return column;
}

// Does the same for the type of `schema`, which must not be text.
inline batch::Column NewUnwrittenColumn(const ColumnSchema& schema, int64_t num_rows) {
  TIDEMILL_CHECK(schema.type != batch::DataType::kBinary);
  batch::Column column{.name = schema.name, .type = schema.type, .shape = schema.shape};
  column.data =
      batch::Buffer::AllocateUnwritten(num_rows * schema.Width() * batch::SizeOf(schema.type));
  return column;
}

// Whether some number is infinite or not a number. Makes one pass without branches.
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

// Rejects each row of `width` numbers that are not all finite. The first row is row `first_row` of
// the frame.
template <typename T>
void RejectNonFiniteRows(std::span<const T> values, std::string_view name, int64_t width,
                         int64_t first_row, Frame& frame) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    frame.Reject(first_row + static_cast<int64_t>(i) / width,
                 fmt::format("column {} holds {}, which is not a finite number", name, values[i]));
  }
}

// Rejects the rows of a column of floats whose numbers are not all finite.
template <typename T>
void RejectNonFinite(const batch::Column& column, Frame& frame) {
  const std::span<const T> values = column.Values<T>();
  if (HasNonFinite(values)) {
    RejectNonFiniteRows(values, column.name, column.Width(), 0, frame);
  }
}

}  // namespace tidemill::transform
