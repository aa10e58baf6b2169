// Columns of numbers made anew as floats, number by number.
#pragma once

#include <string_view>
#include <vector>

#include "transform/engine/block_op.h"

namespace tidemill::transform {

// Declares that the columns `inputs` are replaced: float64 stays float64, all else becomes float32.
std::vector<BoundColumn> ReplaceByFloats(OpBuilder& builder, std::string_view field,
                                         const std::vector<BoundColumn>& inputs);

}  // namespace tidemill::transform
