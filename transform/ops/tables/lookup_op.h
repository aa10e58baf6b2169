// Joins the rows of a table to samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"
#include "transform/ops/tables/joined_table.h"

namespace tidemill::transform {

class LookupOp final : public Op {
 public:
  // An output column made from the table.
  struct Column {
    // The value when the table has none; std::monostate: a missing number.
    using Fallback = std::variant<std::monostate, double, int64_t, std::string>;

    size_t place = 0;  // The place among the values of the table.
    BoundColumn output;
    Fallback fallback = {};
  };

  // `keys` are the columns of samples in the order of the table's keys. With `must_match` a sample
  // without a row is bad, with `must_have` one without a value.
  LookupOp(std::shared_ptr<const JoinedTable> table, std::vector<BoundColumn> keys,
           std::vector<Column> columns, bool must_match, bool must_have)
      : table_(std::move(table)),
        keys_(std::move(keys)),
        columns_(std::move(columns)),
        must_match_(must_match),
        must_have_(must_have) {}

  // FAILED_PRECONDITION when rows are valid from times on, and the samples have no event times.
  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override;

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return FailedPrecondition("it joins a table, which arithmetic on columns cannot do");
  }

  bool makes_texts() const override {
    return std::ranges::any_of(
        columns_, [](const Column& column) { return IsText(column.output.schema.type); });
  }

 private:
  static constexpr int64_t kNoRow = -1;

  // Returns the row of the table for each row of the frame, or kNoRow.
  std::vector<int64_t> FindRows(std::span<const int64_t> times, Frame& frame) const;
  int64_t FindRow(std::string_view key, std::span<const int64_t> times, int64_t row,
                  Frame& frame) const;
  template <typename T>
  batch::Column NumbersOf(const Column& column, std::span<const int64_t> rows, Frame& frame) const;
  batch::Column TextsOf(const Column& column, std::span<const int64_t> rows, Frame& frame) const;
  // Returns the key of a row and its columns, for messages.
  std::string KeyOf(int64_t row, const Frame& frame) const;
  // Says why a sample has no row.
  std::string WhyNoRow(int64_t row, const Frame& frame) const;
  std::string WhyNoRowAt(const JoinedTable::Rows& rows, int64_t time, int64_t row,
                         const Frame& frame) const;

  const std::shared_ptr<const JoinedTable> table_;
  const std::vector<BoundColumn> keys_;
  const std::vector<Column> columns_;
  const bool must_match_;
  const bool must_have_;
};

}  // namespace tidemill::transform
