// The rows of a series that a parsing op takes.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

enum class Rows { kLast, kPrevious, kAll };

// The rows [first, first + count) of the `history` rows of a sample.
struct RowRange {
  int64_t first = 0;
  int64_t count = 1;
};

inline RowRange RangeOf(Rows rows, int64_t history) {
  if (rows == Rows::kAll) return {0, history};
  return {history - (rows == Rows::kPrevious ? 2 : 1), 1};
}

// Returns the shape of a column that holds one number per row.
inline std::vector<int64_t> ShapeOf(Rows rows, int64_t history) {
  if (rows == Rows::kAll) return {history};
  return {};
}

// The owner of a field, for people: "the sample".
inline std::string_view Describe(Rows rows) {
  switch (rows) {
    case Rows::kLast:
      return "the sample";
    case Rows::kPrevious:
      return "the row before the sample";
    case Rows::kAll:
      return "all rows of the series, the oldest first";
  }
  return "";
}

// Reports a problem for rows that a sample does not have, and for texts of several rows, because a
// column cannot hold them.
inline void CheckRows(OpBuilder& builder, Rows rows, bool is_text) {
  if (rows == Rows::kPrevious && builder.samples().history < 2) {
    builder.Problem("rows", "a sample of the dataset is a single row",
                    "give the dataset a series with history: 2 or more");
  }
  if (rows == Rows::kAll && is_text) {
    builder.Problem("rows", "takes all rows, but the fields are texts",
                    "use rows: last, or a dtype of numbers");
  }
}

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::Rows> {
  using Type = tidemill::transform::Rows;
  static constexpr std::pair<Type, std::string_view> kNames[] = {
      {Type::kLast, "last"}, {Type::kPrevious, "previous"}, {Type::kAll, "all"}};
};
