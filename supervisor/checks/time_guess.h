// Guesses how times are written that a format cannot read.
#pragma once

#include <string>
#include <vector>

namespace tidemill::supervisor {

// Returns values of `event_time.format` that read all of `texts`, the best first. There are at most
// two: when days and months cannot be distinguished. Empty when none of the usual formats does. RFC
// 3339 is "".
std::vector<std::string> GuessTimeFormats(const std::vector<std::string>& texts);

}  // namespace tidemill::supervisor
