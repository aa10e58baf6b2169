// Columns of numbers made anew as floats, number by number.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "transform/engine/frame.h"
#include "transform/engine/numbers.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Declares that the columns `inputs` are replaced: float64 stays float64, all else becomes float32.
std::vector<BoundColumn> ReplaceByFloats(OpBuilder& builder, std::string_view field,
                                         const std::vector<BoundColumn>& inputs);

// Calls body(in, out) with the numbers of `input` and, as float32 or float64, those that `output`
// is to hold. The body writes them all.
template <typename Body>
void RunFloats(const BoundColumn& input, const BoundColumn& output, Frame& frame, Body&& body) {
  const ColumnSchema& schema = output.schema;
  const auto run = [&]<typename T>(T /*type*/) {
    batch::Column column = NewUnwrittenColumn<T>(schema.name, frame.num_rows(), schema.shape);
    const std::span<T> out = column.data.template MutableAs<T>();
    VisitNumbers(frame.Get(input.slot), [&](auto in) { body(in, out); });
    frame.Set(output.slot, std::move(column));
  };
  if (schema.type == batch::DataType::kFloat64) {
    run(double{});
  } else {
    run(float{});
  }
}

}  // namespace tidemill::transform
