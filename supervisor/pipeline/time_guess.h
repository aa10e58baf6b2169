// How times are written that a format does not read.
#pragma once

#include <string>
#include <vector>

namespace tidemill::supervisor {

// Values of `event_time.format` that read all of `texts`, best first, at most two: where days and
// months cannot be told apart. Empty: none of the usual ones does. RFC 3339 is "".
std::vector<std::string> GuessTimeFormats(const std::vector<std::string>& texts);

}  // namespace tidemill::supervisor
