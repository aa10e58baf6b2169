// Replaces columns of numbers by columns of floats, number by number.
#pragma once

#include <string_view>
#include <vector>

#include "transform/engine/block_op.h"

namespace tidemill::transform {

// Declares that the op replaces the columns `inputs`. float64 stays float64; every other type
// becomes float32.
std::vector<BoundColumn> ReplaceByFloats(OpBuilder& builder, std::string_view field,
                                         const std::vector<BoundColumn>& inputs);

}  // namespace tidemill::transform
