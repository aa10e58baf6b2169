// What is known of a measure by its name.
#pragma once

#include <string_view>

namespace tidemill::results {

// Whether lower values mean a better model. False for a plug-in: ask the measure itself.
bool LowerIsBetter(std::string_view measure);

// Whether its values are shares of one, which are shown in percent. False for plug-ins.
bool IsShare(std::string_view measure);

// Whether it compares real values. Otherwise it compares classes.
bool IsOfValues(std::string_view measure);

}  // namespace tidemill::results
