// The parameters that a graph has learned, as text for programs and people without Tidemill.
#pragma once

#include <string>
#include <string_view>

#include "transform/fitted_state.h"

namespace tidemill::models {

inline constexpr std::string_view kFittedText = "fitted.json";

// Returns JSON as docs/formats/export.md describes it.
std::string EncodeFittedText(const transform::FittedState& fitted);

}  // namespace tidemill::models
