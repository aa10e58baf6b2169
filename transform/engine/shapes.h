// Checks the shapes that users write.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The most numbers in one row of a column.
inline constexpr int64_t kMaxWidth = int64_t{1} << 28;

// Returns false and reports a problem for a dimension below 1, for more than 8 dimensions, or for
// more than kMaxWidth numbers.
bool CheckShape(OpBuilder& builder, std::string_view field, const std::vector<int64_t>& shape);

}  // namespace tidemill::transform
