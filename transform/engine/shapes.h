// Checks of shapes that users write.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Largest number of numbers in one row of a column.
inline constexpr int64_t kMaxWidth = int64_t{1} << 28;

// False, with a problem reported, for a dimension below 1, more than 8 dimensions, or more than
// kMaxWidth numbers.
bool CheckShape(OpBuilder& builder, std::string_view field, const std::vector<int64_t>& shape);

}  // namespace tidemill::transform
