// A run as an entry of a list.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/terminal/list_text.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

const std::vector<ListColumn>& RunColumns();

// Returns the entry of a run. A run that is not finished has lasted until `now_seconds` of the Unix
// epoch.
ListEntry EntryOf(const supervisor::v1::Run& run, double now_seconds);

}  // namespace tidemill::cli
