// stack: joins several columns of numbers into one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/column_list.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class StackBy { kSample, kRow };

struct StackSpec {
  static constexpr std::string_view kType = "stack";
  static constexpr std::string_view kDoc =
      "Puts the numbers of several columns side by side into one float32 column. A single column "
      "keeps its shape; several columns become one flat row. With `by: row`, the op does this for "
      "each row of a series: columns of shape [history] become [history, columns], which recurrent "
      "and temporal networks take. A number too large for float32 makes a bad sample.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = config::ColumnList::All();
  std::string into = "input";
  StackBy by = StackBy::kSample;

  void Fields(auto&& field) {
    field("columns", columns,
          "`all` columns of numbers in the order in which they were made, without targets, or a "
          "list.");
    field("into", into, "Name of the column to make. The model takes `input`.");
    field("by", by,
          "`sample`: one flat row for each sample. `row`: one row for each row of the series. A "
          "column with a single number for each sample is repeated in each row.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const StackSpec&, const StackSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::StackBy> {
  using Type = tidemill::transform::StackBy;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kSample, "sample"},
                                                                 {Type::kRow, "row"}};
};
