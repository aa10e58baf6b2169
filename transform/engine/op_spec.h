// What the specs of all ops share. A spec is a struct that the config descriptor reads, with
//   std::unique_ptr<Op> Build(OpBuilder& builder) const;
// which binds it to columns. Build() reports what is wrong to the builder, and declares the op's
// outputs even then, so that the ops after it are checked against them; the op it returns is used
// only when nobody complained.
#pragma once

#include <memory>
#include <string_view>

#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

inline constexpr std::string_view kAutocacheDoc =
    "Stands in specs of before. `true` is refused: what ops make is not kept between epochs.";

}  // namespace tidemill::transform
