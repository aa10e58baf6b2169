// What people must know about a measure to read its values.
#pragma once

#include <string_view>

namespace tidemill::cli {

// Whether lower values mean a better model. False for a plug-in: ask the measure itself
// (run_measures.h).
bool LowerIsBetter(std::string_view measure);

// Whether its values are shares of one, which people read in percent, whatever the values are.
// False for plug-ins.
bool IsShare(std::string_view measure);

// Whether it compares real values. Otherwise it compares classes.
bool IsOfValues(std::string_view measure);

}  // namespace tidemill::cli
