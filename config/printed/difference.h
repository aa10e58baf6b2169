// Describes the differences of two documents in words.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::config {

// Returns the keys whose values differ: "label.kind is now real and was class; event_time.format is
// now absent and was \"%Y\"". Both documents must be from Print(). Only the first five keys are
// listed. Empty when none differs.
std::string DescribeDifference(std::string_view before, std::string_view now);

}  // namespace tidemill::config
