// What two documents differ in, in words.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::config {

// "label.kind is now real and was class; event_time.format is now absent and was \"%Y\"": of two
// documents as Print() writes them, the keys whose values differ, the first five of them. Empty
// when none does.
std::string DescribeDifference(std::string_view before, std::string_view now);

}  // namespace tidemill::config
